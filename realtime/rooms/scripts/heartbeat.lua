-- Keeps one viewer of a stream present, and adds up a signed-in user's time.
--
-- KEYS  1 viewers (zset: member -> last heartbeat, ms)   2 devices of this address (zset)   3 watch time (hash)
-- ARGV  1 now in ms, or "" for the server's own time   2 member (u:<user> or d:<device>)   3 window, ms
--       4 "1" when the member is a device that counts against its address   5 most devices an address
--       6 full watch time that is paid, ms
-- Returns {viewers now, "<index of the wall-time window>" of a full one that isn't settled yet, else ""}.
-- Watch time: "<accumulated ms>:<last heartbeat ms>:<window that is to be settled, or nothing>": it is named again with
-- every heartbeat until settle-watch.lua takes it away. Everything here is forgotten after 10 min of silence.

local now = tonumber(ARGV[1])
if not now then
  local time = redis.call("TIME")
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local window, member, full = tonumber(ARGV[3]), ARGV[2], tonumber(ARGV[6])

-- Where the clock has stepped back, times lie ahead: they become now, so that a viewer who has left is gone after the window.
-- Some at a time; each heartbeat goes on with it.
local function bringToNow(key)
  local ahead = string.format("(%.0f", now)
  for _, one in ipairs(redis.call("ZRANGEBYSCORE", key, ahead, "+inf", "LIMIT", 0, 500)) do
    redis.call("ZADD", key, now, one)
  end
end

local allowed = true
if ARGV[4] == "1" then
  bringToNow(KEYS[2])
  redis.call("ZREMRANGEBYSCORE", KEYS[2], "-inf", now - window)
  allowed = redis.call("ZSCORE", KEYS[2], member) or redis.call("ZCARD", KEYS[2]) < tonumber(ARGV[5])
  if allowed then
    redis.call("ZADD", KEYS[2], now, member)
    redis.call("PEXPIRE", KEYS[2], window)
  end
end

bringToNow(KEYS[1])
local completed = ""
if allowed then
  redis.call("ZADD", KEYS[1], now, member)
  redis.call("EXPIRE", KEYS[1], 600)
  if string.sub(member, 1, 2) == "u:" then
    local known = redis.call("HGET", KEYS[3], member)
    local sum = 0
    if known then
      local before, last, owed = string.match(known, "^(%d+):(%d+):?(%d*)$")
      completed = owed
      sum = tonumber(before)
      local passed = now - tonumber(last)
      if passed > 0 and passed <= window then sum = sum + passed end
    end
    -- One at a time: the others wait in the sum. Named by when it was completed had all that came after been watched
    -- without a pause: that is a whole window later for each, so no two have one index, however late they are named.
    if completed == "" and sum >= full then
      sum = sum - full
      completed = string.format("%.0f", math.floor((now - sum) / full))
    end
    redis.call("HSET", KEYS[3], member, string.format("%.0f:%.0f:%s", sum, now, completed))
    redis.call("EXPIRE", KEYS[3], 600)
  end
end

-- A few of the long gone at a time, so that both stay as large as the audience.
for _, gone in ipairs(redis.call("ZRANGEBYSCORE", KEYS[1], "-inf", now - 600000, "LIMIT", 0, 50)) do
  redis.call("ZREM", KEYS[1], gone)
  redis.call("HDEL", KEYS[3], gone)
end
return { redis.call("ZCOUNT", KEYS[1], "(" .. string.format("%.0f", now - window), "+inf"), completed }
