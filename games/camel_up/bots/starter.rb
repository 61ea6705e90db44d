# Camel Up starter bot for those who do not write Python: legal, short, and yours to change.
#
# Agon starts this file once a match and talks to it over standard input and output.
# Say READY; whenever it is your turn a line of JSON comes with all you may know, and you answer with one
# line: [0] to roll, [1,type,square] to lay your trap, [2,camel] to bet on the winner of the round, [3,camel]
# or [4,camel] on the winner or the loser of the game. Whatever is not allowed counts as a roll.
# warn "..." to debug: only you can read it.
require "json"

$stdout.sync = true # without this the answer may never leave

def move(state)
  leader = state["camel_track"].flatten.last
  return [0] if state["round_bets"].any? { |camel, _player| camel == leader }
  [2, leader] # five coins, if it still leads when the round ends
end

puts "READY"
$stdin.each_line { |line| puts move(JSON.parse(line)).inspect }
