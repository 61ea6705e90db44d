-- Coup in Lua: the starter's moves.
local file, cards = arg[1], arg[4]
local offered = {}
for i = 5, #arg do
  offered[arg[i]] = true
end

local function holds(card)
  return cards:find(card, 1, true)
end

local function choose()
  if offered["C"] then return "C" end
  if offered["A"] and holds("^") then return "A" end
  if offered["T"] and holds("$") then return "T" end
  if offered["I\n"] then return "I\n" end
  if offered["s"] and holds("!") then return "s" end
  if offered["p"] then return "p" end
  if offered["\n"] then return "\n" end
  return arg[#arg]
end

local history = assert(io.open(file, "a"))
history:write(choose())
history:close()

if #cards > 2 then -- an exchange: keep the best
  local kept = {}
  for card in cards:gmatch(".") do
    kept[#kept + 1] = card
  end
  local best = "$^*!~"
  table.sort(kept, function(a, b) return best:find(a, 1, true) < best:find(b, 1, true) end)
  print(table.concat(kept, "", 1, #cards - 2))
end
