-- The head of a user's event log, and its events from a position on, inclusive.
--
-- KEYS  1 head (hash)   2 log (stream)
-- ARGV  1 epoch   2 seq   3 "1" for no events unless the log continues from there without a gap
-- Returns {epoch, seq, and for each event: id, type, data}, {} without a head

local head = redis.call("HMGET", KEYS[1], "epoch", "seq")
if not head[1] then return {} end
local from = ARGV[1] .. "-" .. ARGV[2]
-- The clock of a server that has lost everything may be behind, so that its epoch is lower: return its whole log.
if tonumber(head[1]) < tonumber(ARGV[1]) then from = head[1] .. "-0" end
local reply = { head[1], head[2] }

local function continues()
  local first = redis.call("XRANGE", KEYS[2], from, "+", "COUNT", 1)[1]
  if first and first[1] == ARGV[1] .. "-" .. ARGV[2] then return true end
  if head[1] ~= ARGV[1] then return false end
  return not first or first[1] == ARGV[1] .. "-" .. string.format("%.0f", tonumber(ARGV[2]) + 1)
end
if ARGV[3] == "1" and not continues() then return reply end

for _, entry in ipairs(redis.call("XRANGE", KEYS[2], from, "+")) do
  reply[#reply + 1] = entry[1]
  reply[#reply + 1] = entry[2][2]
  reply[#reply + 1] = entry[2][4]
end
return reply
