-- A worker's heartbeat; returns the live workers.
-- KEYS  1 workers (zset: worker -> its last heartbeat, ms)
-- ARGV  1 worker   2 after how long without a heartbeat a worker is dead, ms   3 "1" when it leaves
-- Returns {"1" when it was known, every live worker ...}
local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now - tonumber(ARGV[2]))
local known = redis.call("ZSCORE", KEYS[1], ARGV[1]) and "1" or "0"
if ARGV[3] == "1" then redis.call("ZREM", KEYS[1], ARGV[1]) else redis.call("ZADD", KEYS[1], now, ARGV[1]) end
redis.call("PEXPIRE", KEYS[1], tonumber(ARGV[2]) * 2)
return { known, unpack(redis.call("ZRANGE", KEYS[1], 0, -1)) }
