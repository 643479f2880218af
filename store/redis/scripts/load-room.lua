-- Puts a room's state in place when there is none from this server, and begins a new epoch with it.
-- After a failover or a power cut Redis may come back shorter: state and numbers of another server aren't trusted.
--
-- KEYS  1 room state (hash)   2 room log (stream)
-- ARGV  1 run_id   2 modes, packed   3 version of the moderation acts that it holds   4... field, value
-- Returns {epoch, seq}: of what was found when another worker was faster, else of the new epoch, seq 0.

local found = redis.call("HMGET", KEYS[1], "run", "epoch", "seq")
if found[1] == ARGV[1] and found[2] and found[3] then return { found[2], found[3] } end

local time = redis.call("TIME")
local epoch = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if found[2] then epoch = math.max(epoch, tonumber(found[2]) + 1) end
local newest = redis.call("XREVRANGE", KEYS[2], "+", "-", "COUNT", 1)
if newest[1] then epoch = math.max(epoch, tonumber(string.match(newest[1][1], "^(%d+)%-")) + 1) end

-- What was hidden in the log stays hidden.
local hidden = {}
local before = redis.call("HGETALL", KEYS[1])
for i = 1, #before, 2 do
  if before[i] == "cleared" or string.sub(before[i], 1, 2) == "h:" then
    hidden[#hidden + 1] = { before[i], before[i + 1] }
  end
end
redis.call("DEL", KEYS[1])
local text = string.format("%.0f", epoch)
redis.call("HSET", KEYS[1], "run", ARGV[1], "epoch", text, "seq", "0", "modes", ARGV[2], "loaded_at", ARGV[3])
for _, field in ipairs(hidden) do redis.call("HSET", KEYS[1], field[1], field[2]) end
for i = 4, #ARGV, 2 do
  redis.call("HSET", KEYS[1], ARGV[i], ARGV[i + 1])
end
redis.call("EXPIRE", KEYS[1], 90000)
return { text, "0" }
