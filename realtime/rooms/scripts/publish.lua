-- Applies an event's effects to a room and appends the event, atomically; drops what isn't newer.
--
-- KEYS  1 room state (hash)   2 deleted messages (zset)   3 last event of each source (hash)
--       4 room log (stream)   5 shard's live stream   6 positions of the newest messages (hash)
--       7 the immutable part of the room, to renew its TTL   8 held messages (hash)   9 the shard's held messages by
--       expiry (zset)   10 configuration that texts are checked with, to renew its TTL   11 which held messages are texts
--       of acts, by expiry (zset)   12... facts about a user, of each effect `member`
-- ARGV  1 run_id   2 now in ms, or "" for the server's own time   3 stream id
--       4 source   5 version   6 n   7 event up to the seq   8 event from the seq on
--       9 "1" to append, "0" for an event that isn't part of the log
--       10 effects for the archive as JSON, or ""   11 pub/sub channel   12 what is published there, or ""
--       13... effects: kind, a, b
--   kinds: modes (packed) · ban (user, until ms or 0) · unban (user) · role (user, role or "")
--          delete (uuid) · clear · standing ("open", or "closed" for so many ms) · config (version) · member (user): the cached facts about the user are outdated
--          message (uuid, author): the event is a chat message · resolved (id): of a held message
--
-- Deleted: uuids by the time of deletion. State: cleared, and h:<user> for permanent bans, are the position up to which
-- messages are hidden; sources_swept: HSCAN cursor of the sweep for silent sources.
-- Sources: "<version>:<n>:<ms of its last event>".
-- Returns {"ok", epoch, seq} · {"missing"} · {"run"}, as in admit.lua
--   {"stale", epoch-seq up to which the room is cleared, or "", and for each permanent ban: user, the same of that user}

local state = redis.call("HMGET", KEYS[1], "run", "epoch", "seq", "loaded_at", "sources_swept")
local run, epoch, seq = state[1], state[2], state[3]
if not run or not epoch or not seq then return { "missing" } end
if run ~= ARGV[1] then return { "run" } end

local function whole(number) return string.format("%.0f", number) end
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call("TIME")
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local version, n = tonumber(ARGV[5]), tonumber(ARGV[6])
local mark = redis.call("HGET", KEYS[3], ARGV[4])
if mark then
  local v, m = string.match(mark, "^(%d+):(%d+):")
  v, m = tonumber(v), tonumber(m)
  if version < v or (version == v and n <= m) then
    local reply = { "stale", redis.call("HGET", KEYS[1], "cleared") or "" }
    for i = 13, #ARGV, 3 do
      if ARGV[i] == "ban" and ARGV[i + 2] == "0" then
        reply[#reply + 1] = ARGV[i + 1]
        reply[#reply + 1] = redis.call("HGET", KEYS[1], "h:" .. ARGV[i + 1]) or ""
      end
    end
    return reply
  end
end

if ARGV[9] == "1" then
  seq = whole(tonumber(seq) + 1)
end

-- Held messages of a permanently banned user expire now: they can't be approved any more, and the sweep denies them.
local function endWaiting(user)
  local held = redis.call("HGETALL", KEYS[8])
  for i = 1, #held, 2 do
    local space = string.find(held[i + 1], " ", 1, true)
    -- Quotes in a text are escaped, so that no text can imitate this.
    if string.find(held[i + 1], '"user_id":"' .. user .. '"', space, true) then
      redis.call("HSET", KEYS[8], held[i], whole(now) .. string.sub(held[i + 1], space))
      redis.call("ZADD", KEYS[9], whole(now), ARGV[3] .. " " .. held[i])
    end
  end
end

-- A state loaded from the database already includes earlier moderation; an older action would undo it.
local known = string.sub(ARGV[4], 1, 11) == "moderation:" and version <= tonumber(state[4] or "0")
local message, members = {}, 11
for i = 13, #ARGV, 3 do
  local kind, a, b = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if kind == "delete" then
    redis.call("ZADD", KEYS[2], now, a)
  elseif kind == "message" then
    message = { "u", a, "s", b }
  elseif kind == "resolved" then
    redis.call("HDEL", KEYS[8], a)
    redis.call("ZREM", KEYS[9], ARGV[3] .. " " .. a)
    redis.call("ZREM", KEYS[11], a)
  elseif kind == "config" then
    local before = redis.call("HGET", KEYS[1], "config")
    if tonumber(a) > tonumber(before or "0") then redis.call("HSET", KEYS[1], "config", a) end
  elseif kind == "standing" then
    if a == "open" then redis.call("HDEL", KEYS[1], "closed") else redis.call("HSET", KEYS[1], "closed", whole(now + tonumber(b))) end
  elseif kind == "member" then
    -- Not just deleted: facts that a worker looked up before this may be on their way here, and mustn't be cached.
    members = members + 1
    redis.call("SET", KEYS[members], "?" .. ARGV[5], "EX", 120)
  elseif kind == "clear" then
    redis.call("HSET", KEYS[1], "cleared", epoch .. "-" .. seq)
  elseif kind == "ban" and b == "0" then
    redis.call("HSET", KEYS[1], "h:" .. a, epoch .. "-" .. seq)
    endWaiting(a)
  end
  if not known then
    if kind == "modes" then
      redis.call("HSET", KEYS[1], "modes", a)
    elseif kind == "ban" then
      redis.call("HSET", KEYS[1], "b:" .. a, b)
    elseif kind == "unban" then
      redis.call("HDEL", KEYS[1], "b:" .. a)
    elseif kind == "role" and redis.call("HGET", KEYS[1], "r:" .. a) ~= "owner" then
      if b == "" then redis.call("HDEL", KEYS[1], "r:" .. a) else redis.call("HSET", KEYS[1], "r:" .. a, b) end
    end
  end
end
redis.call("ZREMRANGEBYRANK", KEYS[2], 0, -20001)

redis.call("HSET", KEYS[3], ARGV[4], ARGV[5] .. ":" .. ARGV[6] .. ":" .. whole(now))
-- Bounded: once there are many, each event scans a few of them and deletes those that were silent for an hour.
-- More are scanned than an event adds, so that the number stays low, and no single event pays for all of them.
if redis.call("HLEN", KEYS[3]) > 2000 then
  local scanned = redis.call("HSCAN", KEYS[3], state[5] or "0", "COUNT", 10)
  for i = 1, #scanned[2], 2 do
    local at = tonumber(string.match(scanned[2][i + 1], ":(%d+)$"))
    if at < now - 3600000 then redis.call("HDEL", KEYS[3], scanned[2][i]) end
  end
  redis.call("HSET", KEYS[1], "sources_swept", scanned[1])
end

-- As in admit.lua: keys that expire together are renewed together.
for _, i in ipairs({ 1, 2, 3, 7, 10 }) do redis.call("EXPIRE", KEYS[i], 90060) end
-- Published in the same step as the dedupe mark is set: after that a retry would be dropped as stale.
if ARGV[12] ~= "" then redis.call("PUBLISH", ARGV[11], ARGV[12]) end
if ARGV[9] ~= "1" then return { "ok", epoch, seq } end
local event = ARGV[7] .. seq .. ARGV[8]
redis.call("XADD", KEYS[4], "MAXLEN", "~", 20000, epoch .. "-" .. seq, "e", event, unpack(message))
if message[2] then
  local placed = string.format("%.0f", redis.call("HINCRBY", KEYS[6], "last", 1))
  redis.call("HSET", KEYS[6], message[2], epoch .. "-" .. seq, "#" .. placed, message[2])
end
redis.call("EXPIRE", KEYS[4], 86460)
redis.call("EXPIRE", KEYS[6], 86460)
local name = ARGV[3] .. " " .. epoch .. " " .. seq
if ARGV[10] == "" then
  redis.call("XADD", KEYS[5], "*", name, event)
else
  redis.call("XADD", KEYS[5], "*", name, event, "effects", ARGV[10])
end
redis.call("HSET", KEYS[1], "seq", seq)
return { "ok", epoch, seq }
