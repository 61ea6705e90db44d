# Samurai starter bot: legal, short, and yours to change.
#
# Agon starts this file once a match and talks to it over standard input and output. Say READY,
# read the settings, then for each of the nine turns read its block and print your picks in one
# line: five lords by day, two by night.
# warn "..." to debug: only you can read it.

$stdout.sync = true # without this the answer may never leave

def read_numbers
  $stdin.gets.split.map(&:to_i)
end

# A list of `picks` lords, each 0 to 5; a lord may be there more than once. Make this part clever.
#
# strength: of the six lords. shown[lord][daimyo]: intimacy as everybody sees it, you being daimyo 0.
# mine[lord]: your real intimacy, nights included. night: how often each lord was picked in the night
# before, by all four of you (nil on a night turn).
def choose(strength, shown, mine, night, picks)
  Array.new(picks) do
    # Go where strength is high and we have done little so far.
    best = (0..5).max_by { |lord| [strength[lord] - mine[lord], -lord] }
    mine[best] += 1
    best
  end
end

puts "READY"
turns, _daimyo, lords = read_numbers
strength = read_numbers
turns.times do
  _turn, time = $stdin.gets.split
  shown = Array.new(lords) { read_numbers }
  mine = read_numbers
  night = time == "D" ? read_numbers : nil
  puts choose(strength, shown, mine, night, time == "D" ? 5 : 2).join(" ")
end
