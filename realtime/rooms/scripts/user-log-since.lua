-- The head of a user's event log, and its events from a position on, inclusive.
--
-- KEYS  1 head (hash)   2 log (stream)
-- ARGV  1 epoch   2 seq
-- Returns {epoch, seq, and for each event: id, type, data}, {} without a head

local head = redis.call("HMGET", KEYS[1], "epoch", "seq")
if not head[1] then return {} end
local from = ARGV[1] .. "-" .. ARGV[2]
-- The clock of a server that has lost everything may be behind, so that its epoch is lower: return its whole log.
if tonumber(head[1]) < tonumber(ARGV[1]) then from = head[1] .. "-0" end
local reply = { head[1], head[2] }
for _, entry in ipairs(redis.call("XRANGE", KEYS[2], from, "+")) do
  reply[#reply + 1] = entry[1]
  reply[#reply + 1] = entry[2][2]
  reply[#reply + 1] = entry[2][4]
end
return reply
