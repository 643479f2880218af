-- Puts a room's state in place when there is none from this server, and begins a new epoch with it.
-- After a failover or a power cut Redis may have lost data: state and seqs of another server aren't trusted.
--
-- KEYS  1 room state (hash)   2 room log (stream)   3 prepared bans and hidden users of the state (hash of its fields)
-- ARGV  1 run_id   2 modes, packed   3 version of the moderation actions that it includes   4 number of fields that 3 must have
--       5 position up to which chat was cleared, as epoch-seq, or ""   6 the new epoch, which nobody else has taken
--       7 version of the configuration that texts are checked with   8... field, value
-- Returns {"ok"}, also when another worker was faster, and {"incomplete"} when prepared fields were lost, or the room has
-- since reached an epoch that isn't older.
-- No loop over the bans: a room may have tens of thousands, and would block all rooms of the server.

local found = redis.call("HMGET", KEYS[1], "run", "epoch", "seq")
if found[1] == ARGV[1] and found[2] and found[3] then
  redis.call("UNLINK", KEYS[3])
  return { "ok" }
end
local newest = redis.call("XREVRANGE", KEYS[2], "+", "-", "COUNT", 1)[1]
local epoch = tonumber(ARGV[6])
local isOld = (found[2] and tonumber(found[2]) >= epoch)
  or (newest and tonumber(string.match(newest[1], "^(%d+)%-")) >= epoch)
if isOld or redis.call("HLEN", KEYS[3]) ~= tonumber(ARGV[4]) then
  redis.call("UNLINK", KEYS[3])
  return { "incomplete" }
end

local function placeIn(id)
  local e, s = string.match(id or "", "^(%d+)%-(%d+)$")
  return tonumber(e or 0), tonumber(s or 0)
end

local function later(here, there)
  local hereEpoch, hereSeq = placeIn(here)
  local thereEpoch, thereSeq = placeIn(there)
  if thereEpoch > hereEpoch or (thereEpoch == hereEpoch and thereSeq > hereSeq) then return there end
  return here
end

-- What was hidden in the log stays hidden.
local hidden = { { "cleared", later(redis.call("HGET", KEYS[1], "cleared"), ARGV[5]) } }
local cursor = "0"
repeat
  local scanned = redis.call("HSCAN", KEYS[1], cursor, "MATCH", "h:*", "COUNT", 1000)
  cursor = scanned[1]
  for i = 1, #scanned[2], 2 do hidden[#hidden + 1] = { scanned[2][i], scanned[2][i + 1] } end
until cursor == "0"

redis.call("UNLINK", KEYS[1])
if ARGV[4] ~= "0" then redis.call("RENAME", KEYS[3], KEYS[1]) end
redis.call("HSET", KEYS[1], "run", ARGV[1], "epoch", ARGV[6], "seq", "0", "modes", ARGV[2], "loaded_at", ARGV[3], "config", ARGV[7])
for _, field in ipairs(hidden) do
  local place = later(field[2], redis.call("HGET", KEYS[1], field[1]))
  if place then redis.call("HSET", KEYS[1], field[1], place) end
end
for i = 8, #ARGV, 2 do
  redis.call("HSET", KEYS[1], ARGV[i], ARGV[i + 1])
end
redis.call("EXPIRE", KEYS[1], 90060)
return { "ok" }
