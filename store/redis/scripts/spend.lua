-- Adds to what was spent in a fixed window that starts with the first call; refuses nothing.
-- KEYS  1 spent (counter)
-- ARGV  1 amount; 0 only reads   2 window, ms
-- Returns {total spent, ms left in the window}
if ARGV[1] == "0" then return { redis.call("GET", KEYS[1]) or 0, math.max(0, redis.call("PTTL", KEYS[1])) } end
local spent = redis.call("INCRBY", KEYS[1], ARGV[1])
if redis.call("PTTL", KEYS[1]) < 0 then redis.call("PEXPIRE", KEYS[1], ARGV[2]) end
return { spent, redis.call("PTTL", KEYS[1]) }
