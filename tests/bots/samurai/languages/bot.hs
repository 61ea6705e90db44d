-- Samurai in Haskell: the starter's picks.
import Control.Monad (forM_, replicateM_, when)
import System.IO

readNumbers :: IO [Int]
readNumbers = map read . words <$> getLine

choose :: [Int] -> [Int] -> Int -> [Int]
choose _ _ 0 = []
choose strength mine picks = best : choose strength more (picks - 1)
  where
    wanted = zipWith (-) strength mine
    best = length (takeWhile (< maximum wanted) wanted)
    more = zipWith (\lord done -> if lord == best then done + 1 else done) [0 ..] mine

main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  putStrLn "READY"
  [turns, _daimyo, lords] <- readNumbers
  strength <- readNumbers
  forM_ [1 .. turns] $ \_ -> do
    day <- (== 'D') . last <$> getLine
    replicateM_ lords getLine -- what everybody sees
    mine <- readNumbers
    when day (() <$ getLine) -- the night before
    putStrLn (unwords (map show (choose strength mine (if day then 5 else 2))))
