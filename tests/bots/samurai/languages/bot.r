# Samurai in R: the starter's picks.
input <- file("stdin", "r")
read_words <- function() strsplit(readLines(input, n = 1), " ")[[1]]
read_numbers <- function() as.integer(read_words())

choose <- function(strength, mine, picks) {
  chosen <- integer(0)
  for (pick in seq_len(picks)) {
    best <- which.max(strength - mine)
    mine[best] <- mine[best] + 1
    chosen <- c(chosen, best - 1)
  }
  chosen
}

cat("READY\n")
settings <- read_numbers()
strength <- read_numbers()
for (turn in seq_len(settings[1])) {
  day <- read_words()[2] == "D"
  readLines(input, n = settings[3]) # what everybody sees
  mine <- read_numbers()
  if (day) read_numbers() # the night before
  cat(choose(strength, mine, if (day) 5 else 2))
  cat("\n")
}
