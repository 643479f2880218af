-- Appends an event to a user's event log, once, and returns the log's head; without an event it only returns the head.
--
-- KEYS  1 head (hash)   2 log (stream)   3 sources of the last events (zset)
-- ARGV  1 run_id   2 source (dedupe key), or "" for no event   3 type   4 data as JSON
--       5 the object that the event is a version of, or ""   6 that version   7 "1" to append it despite missing ones
--
-- Head: run, epoch, seq; v:<object> is the version of the last event about it.
-- Returns {"ok", epoch, seq} · {"stale", epoch, seq}: already known, or older than a version that the log has
--   {"early"}: earlier versions are missing

local head = redis.call("HMGET", KEYS[1], "run", "epoch", "seq")
local epoch, seq = head[2], head[3]
local function whole(number) return string.format("%.0f", number) end
local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

if head[1] ~= ARGV[1] then
  -- Another server may have lost data: its seqs aren't reused.
  if not epoch then redis.call("DEL", KEYS[2], KEYS[3]) end
  epoch, seq = whole(math.max(now, tonumber(epoch or "0") + 1)), "0"
  redis.call("HSET", KEYS[1], "run", ARGV[1], "epoch", epoch, "seq", seq)
end
redis.call("EXPIRE", KEYS[1], 604800)
if ARGV[2] == "" then return { "ok", epoch, seq } end

if redis.call("ZSCORE", KEYS[3], ARGV[2]) then return { "stale", epoch, seq } end
if ARGV[5] ~= "" then
  local field, version = "v:" .. ARGV[5], tonumber(ARGV[6])
  local last = tonumber(redis.call("HGET", KEYS[1], field) or "")
  if last and version <= last then return { "stale", epoch, seq } end
  if last and version > last + 1 and ARGV[7] ~= "1" then return { "early" } end
  -- Bounded: past this number of objects their versions are forgotten.
  if not last and redis.call("HLEN", KEYS[1]) > 300 then
    redis.call("DEL", KEYS[1])
    redis.call("HSET", KEYS[1], "run", ARGV[1], "epoch", epoch)
  end
  redis.call("HSET", KEYS[1], field, ARGV[6])
end

seq = whole(tonumber(seq) + 1)
redis.call("HSET", KEYS[1], "seq", seq)
redis.call("XADD", KEYS[2], "MAXLEN", "=", 200, epoch .. "-" .. seq, "t", ARGV[3], "d", ARGV[4])
redis.call("ZADD", KEYS[3], now, ARGV[2])
redis.call("ZREMRANGEBYRANK", KEYS[3], 0, -501)
for i = 1, 3 do redis.call("EXPIRE", KEYS[i], 604800) end
return { "ok", epoch, seq }
