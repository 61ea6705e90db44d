# Coup in R: the starter's moves.
words <- commandArgs(TRUE)
cards <- strsplit(words[4], "")[[1]]
moves <- words[-(1:4)]

choose <- function() {
  if ("C" %in% moves) return("C")
  if ("A" %in% moves && "^" %in% cards) return("A")
  if ("T" %in% moves && "$" %in% cards) return("T")
  if ("I\n" %in% moves) return("I\n")
  if ("s" %in% moves && "!" %in% cards) return("s")
  if ("p" %in% moves) return("p")
  if ("\n" %in% moves) return("\n")
  tail(moves, 1)
}

cat(choose(), file = words[1], append = TRUE)
if (length(cards) > 2) { # an exchange: keep the best
  best <- cards[order(match(cards, c("$", "^", "*", "!", "~")))]
  cat(head(best, -2), "\n", sep = "")
}
