-- Keeps one viewer of a stream present, and adds up a signed-in user's watch time.
--
-- KEYS  1 viewers (zset: member -> last heartbeat, ms)   2 devices of this address (zset)   3 watch time (hash)
-- ARGV  1 now in ms, or "" for the server's own time   2 member (u:<user> or d:<device>)   3 window, ms
--       4 "1" when the member is a device that counts against its address   5 limit of devices per address
--       6 watch time that earns points, ms
-- Returns {viewers now, "<index of the wall-time window>" of a completed one that isn't settled yet, else ""}.
-- Watch time: "<accumulated ms>:<last heartbeat ms>:<unsettled window, or nothing>": the window is returned again with
-- every heartbeat until settle-watch.lua removes it. Viewers and watch time expire after 10 min of silence.

local now = tonumber(ARGV[1])
if not now then
  local time = redis.call("TIME")
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local window, member, full = tonumber(ARGV[3]), ARGV[2], tonumber(ARGV[6])

-- When the clock has stepped back, stored times are in the future: they become now, so that a viewer who has left is gone
-- after the window. A batch at a time; each heartbeat continues.
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
    -- One at a time: the others wait in the sum. A window's index is the time at which it would have been completed if
    -- everything after it had been watched without a pause. Consecutive ones are thus a whole window apart, so no two have the
    -- same index, however late they are returned.
    if completed == "" and sum >= full then
      sum = sum - full
      completed = string.format("%.0f", math.floor((now - sum) / full))
    end
    redis.call("HSET", KEYS[3], member, string.format("%.0f:%.0f:%s", sum, now, completed))
    redis.call("EXPIRE", KEYS[3], 600)
  end
end

-- Deletes a batch of those gone for long, so that both keys stay as small as the audience.
for _, gone in ipairs(redis.call("ZRANGEBYSCORE", KEYS[1], "-inf", now - 600000, "LIMIT", 0, 50)) do
  redis.call("ZREM", KEYS[1], gone)
  redis.call("HDEL", KEYS[3], gone)
end
return { redis.call("ZCOUNT", KEYS[1], "(" .. string.format("%.0f", now - window), "+inf"), completed }
