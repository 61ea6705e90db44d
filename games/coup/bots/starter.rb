# Coup starter bot: legal, short, and yours to change.
#
# Agon runs this file afresh for every move:
#
#     ruby starter.rb HISTORY_FILE THEIR_COINS MY_COINS MY_CARDS MOVE [MOVE...]
#
# Append exactly one of the MOVEs to the history file and end normally.
# Files written beside the program stay there until the match is over.
# warn "..." to debug: only you can read it.
#
# Cards:  ~ Ambassador   ^ Assassin   * Captain   ! Contessa   $ Duke

# One of `moves`. This is the part to make clever.
#
# `history` is everything played so far; every line is one turn, the last one may be unfinished.
def choose(history, their_coins, my_coins, cards, moves)
  return "C" if moves.include?("C") # a coup cannot be stopped
  return "A" if moves.include?("A") && cards.include?("^") # three coins, and we do have an Assassin
  return "T" if moves.include?("T") && cards.include?("$") # tax, and we do have a Duke
  return "I\n" if moves.include?("I\n") # income is always safe
  return "s" if moves.include?("s") && cards.include?("!") # stop an assassin, and we do have a Contessa
  return "p" if moves.include?("p") # let it pass
  return "\n" if moves.include?("\n") # end the turn
  moves.last # give up or show a card
end

# After an exchange: the cards to keep, the best first, out of two new ones and our own.
def keep(cards)
  cards.chars.sort_by { |card| "$^*!~".index(card) }.first(cards.length - 2).join
end

file, their_coins, my_coins, cards, *moves = ARGV
move = choose(File.read(file), their_coins.to_i, my_coins.to_i, cards, moves)
File.write(file, move, mode: "a")
puts keep(cards) if cards.length > 2 # three or four cards: our exchange has succeeded
