-- Marks a session as ended for the admissions of one shard, until its last access token has expired.
--
-- KEYS  1 ended sessions (zset: session -> end, ms)
-- ARGV  1 session   2 how long it is remembered, ms   3 limit of remembered sessions, past which the oldest are evicted
-- Returns {"ok"}; idempotent.

local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local keep = tonumber(ARGV[2])
redis.call("ZADD", KEYS[1], "NX", now, ARGV[1])
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", string.format("%.0f", now - keep))
redis.call("ZREMRANGEBYRANK", KEYS[1], 0, -1 - tonumber(ARGV[3]))
redis.call("PEXPIRE", KEYS[1], keep)
return { "ok" }
