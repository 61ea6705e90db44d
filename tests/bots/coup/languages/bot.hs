-- Coup in Haskell: the starter's moves.
import Data.List (elemIndex, sortOn)
import System.Environment (getArgs)

choose :: String -> [String] -> String
choose cards moves
  | offered "C" = "C"
  | offered "A" && '^' `elem` cards = "A"
  | offered "T" && '$' `elem` cards = "T"
  | offered "I\n" = "I\n"
  | offered "s" && '!' `elem` cards = "s"
  | offered "p" = "p"
  | offered "\n" = "\n"
  | otherwise = last moves
  where offered move = move `elem` moves

main :: IO ()
main = do
  file : _theirs : _mine : cards : moves <- getArgs
  appendFile file (choose cards moves)
  if length cards > 2 -- an exchange: keep the best
    then putStrLn (take (length cards - 2) (sortOn (`elemIndex` "$^*!~") cards))
    else return ()
