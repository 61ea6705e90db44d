-- Samurai in Lua: the starter's picks.
io.stdout:setvbuf("line")

local function read_numbers()
  local numbers = {}
  for word in io.read():gmatch("%d+") do
    numbers[#numbers + 1] = tonumber(word)
  end
  return numbers
end

local function choose(strength, mine, picks)
  local chosen = {}
  for pick = 1, picks do
    local best = 1
    for lord = 2, #strength do
      if strength[lord] - mine[lord] > strength[best] - mine[best] then
        best = lord
      end
    end
    mine[best] = mine[best] + 1
    chosen[pick] = best - 1
  end
  return chosen
end

print("READY")
local turns, _, lords = table.unpack(read_numbers())
local strength = read_numbers()
for _ = 1, turns do
  local day = io.read():find("D")
  for _ = 1, lords do
    io.read() -- what everybody sees
  end
  local mine = read_numbers()
  if day then
    io.read() -- the night before
  end
  print(table.concat(choose(strength, mine, day and 5 or 2), " "))
end
