# Language Survival starter bot: legal, short, and yours to change.
#
# Agon starts this file once a match and talks to it over standard input and output. Say READY, read the
# settings, then for each of the nine turns read its block and print your picks in one line: five
# languages on a weekday, two on a holiday.
# warn "..." to debug: only you can read it.

$stdout.sync = true # without this the answer may never leave

def read_numbers
  $stdin.gets.split.map(&:to_i)
end

# A list of `picks` languages, each 0 to 5; one may be there more than once. Make this part clever.
#
# attention: of the six languages. shown[language][player]: believers as everybody sees them, you being player 0.
# mine[language]: your real believers, holidays included. holiday: how often each was picked on the holiday
# before, by all four of you (nil on a holiday turn).
def choose(attention, shown, mine, holiday, picks)
  Array.new(picks) do
    # Go where attention is high and we have few believers so far.
    best = (0..5).max_by { |language| [attention[language] - mine[language], -language] }
    mine[best] += 1
    best
  end
end

puts "READY"
turns, _players, languages = read_numbers
attention = read_numbers
turns.times do
  _turn, day = $stdin.gets.split
  shown = Array.new(languages) { read_numbers }
  mine = read_numbers
  holiday = day == "W" ? read_numbers : nil
  puts choose(attention, shown, mine, holiday, day == "W" ? 5 : 2).join(" ")
end
