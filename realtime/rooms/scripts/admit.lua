-- Admits one chat message to a room, holds it for its moderators, or refuses it, atomically.
--
-- KEYS  1 room state (hash)   2 the sender's recent sends (list)   3 texts seen (zset)
--       4 nonce   5 room log (stream)   6 shard's live stream   7 the shard's ended sessions (zset)
--       8 cache: since when the sender follows, ms
--       9 positions of the newest messages (hash: "<uuid>" is "<epoch>-<seq>"; in the order of admission "#<n>" is a uuid,
--         first and last are the range of n: the order can't be taken from workers' clocks)
--       10 deleted messages (zset)   11 last event of each source (hash)   12 the immutable part of the room
--       13 facts about the sender (see 19)   14 cache: whether the sender has chatted here before ("1", "0")
--       15 held messages (hash: id, "<ms when it expires> <JSON>")   16 the shard's held messages by expiry (zset)
--       17 configuration that texts are checked with, to renew its TTL   18 expiry of the sender's last held messages, or of
--       the texts of the sender's acts (list, newest first)   19 which of 15 are texts of acts, by expiry (zset)
-- ARGV  1 run_id of the server, as the worker knows it   2 now in ms, or "" for the server's own time
--       3 stream id   4 user id   5 message uuid   6 event up to the seq   7 event from the seq on
--       8 hash of the text   9 hash of the normalised text   10 "1" when it has only emotes
--       11 since when the sender follows, ms: "" not looked up yet, "0" not at all   12 "1" with a nonce
--       13 limit of entries in the live stream   14 the sender's session, or ""
--       15 "1" for a dry run: nothing is written but the caches 8, 13 and 14, and 5 to 7 are ignored
--       16 what key 12 holds   17 version of the configuration that the text was checked with   18 the sender's role as the
--       worker knows it, or ""   19 the facts that it knows: "" none yet, "-" unavailable   20 what key 13 held before
--       19 was looked up, or "=" when it wasn't looked up just now   21 verdict of the terms: "", "block" or "hold"
--       22 "1" when it has a link   23 whether the sender has chatted here before: "" not looked up, "1", "0"
--       24 id of the held message   25 the held message as JSON   26 pub/sub channel   27 what is published there if held
--       28 "1" for a text that goes with an act (a tip, a redemption) or names something (a clip): bans, terms, links and a
--       disabled chat apply, rates and other modes don't, since they mustn't hold up an act
--       29 source of the act, as in publish.lua, "" without one   30 its version   31 its n
--       32 what the facts refuse: "", "blocked" by the owner, or "not_found" while the owner's account is banned or deleted
--       33 how long ago the message arrived, ms: rates and repeated texts count by its arrival, all else by now
--
-- State fields: run, epoch, seq, modes (enabled slow followers emote unique shield; -1 = off),
--   r:<user> role, b:<user> ban (0 = permanent, else until, ms), config: version of the configuration,
--   closed: until when the room is closed since the owner's account is banned or deleted, ms; later the facts of each sender say it,
--   renewed: when the TTL of the room's keys was last renewed, ms (once a minute), swept: HSCAN cursor of the sweep
--   for expired fields.
--
-- Returns {"ok", epoch, seq}
--   {"held", id}   for the moderators to decide
--   {"repeat", "<epoch>:<seq>:<event from the seq on>" or "held:<id>"}   this nonce was admitted or held before
--   {"missing"}   the state must be loaded   {"run"}   loaded on another server: look the server up again, then load
--   {"config", version}   the text must be checked with that configuration, or a later one
--   {"member", role, key 13}   the worker's role or facts of the sender are outdated
--   {"follow"}    the rules need argument 11, and it isn't cached   {"chatted"}   the same for argument 23
--   {"no", code, ms to wait or "", minutes or "", limit or "", its window in s or ""}   codes as in the error registry
--   {"may"}, {"may_hold"}   replies to a dry run; the latter only with argument 28, when it would be held, and followed by what
--     follows "no" above when there is no place for it among the held messages
--   {"decided", "shown", "held" or "withheld"}   the room has decided about this act's text before
-- A refusal doesn't count towards any limit. One of an act's text is final: the source is marked as published.

local call = redis.call

if ARGV[14] ~= "" and call("ZSCORE", KEYS[7], ARGV[14]) then return { "no", "invalid_token" } end
if ARGV[12] == "1" then
  local first = call("GET", KEYS[4])
  if first then return { "repeat", first } end
end

local user = ARGV[4]
local state = call("HMGET", KEYS[1], "run", "epoch", "seq", "modes", "r:" .. user, "b:" .. user, "renewed", "swept", "config", "closed")
local run, epoch, seq, modes, role, ban = state[1], state[2], state[3], state[4], state[5], state[6]
if not run or not epoch or not seq or not modes then return { "missing" } end
if run ~= ARGV[1] then return { "run" } end
local isAct, source, isDryRun = ARGV[28] == "1", ARGV[29], ARGV[15] == "1"
if source ~= "" then
  local v, m = string.match(call("HGET", KEYS[11], source) or "", "^(%d+):(%d+):")
  local version, n = tonumber(ARGV[30]), tonumber(ARGV[31])
  if v and (version < tonumber(v) or (version == tonumber(v) and n <= tonumber(m))) then
    if call("HEXISTS", KEYS[9], ARGV[5]) == 1 then return { "decided", "shown" } end
    return { "decided", call("HEXISTS", KEYS[15], ARGV[5]) == 1 and "held" or "withheld" }
  end
end
-- The worker's configuration may be newer: it is written before the state's version is raised.
if tonumber(ARGV[17]) < tonumber(state[9] or "0") then return { "config", state[9] } end

local now = tonumber(ARGV[2])
if not now then
  local time = call("TIME")
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
-- What waited together isn't counted together.
local arrived = now - tonumber(ARGV[33])

local function whole(number) return string.format("%.0f", number) end
local function markSource()
  if source == "" then return end
  call("HSET", KEYS[11], source, ARGV[30] .. ":" .. ARGV[31] .. ":" .. whole(now))
  call("EXPIRE", KEYS[11], 90060)
end
local function no(code, wait, minutes, limit, seconds)
  local function text(number) return number and whole(number) or "" end
  markSource()
  return { "no", code, text(wait), text(minutes), text(limit), text(seconds) }
end

-- The owner's account is banned or deleted: for everybody the room isn't there.
if state[10] and tonumber(state[10]) > now then return no("not_found") end
if ban then
  local untilMs = tonumber(ban)
  if untilMs == 0 then return no("banned") end
  if untilMs > now then return no("timed_out", untilMs - now) end
end

local exempt = role ~= false
local most = exempt and 100 or 20
-- In the order of admission, the newest first: "<ms of arrival>:<hash>"; as many entries as the limit are enough for every rule below.
local recent = isAct and {} or call("LRANGE", KEYS[2], 0, most - 1)
local last, within, oldest, same = nil, 0, nil, nil
-- What waits, waits for a second or two, so that by the arrival entries are out of order by no more than that.
local disorder = 2000
for _, entry in ipairs(recent) do
  local colon = string.find(entry, ":", 1, true)
  local at = tonumber(string.sub(entry, 1, colon - 1))
  -- Times in the future are from before the clock stepped back; waiting for them would silence the sender.
  if at <= now then
    last = math.max(last or at, at)
    if at <= arrived - 30000 - disorder then break end
    if at > arrived - 30000 then
      within = within + 1
      oldest = math.min(oldest or at, at)
      if string.sub(entry, colon + 1) == ARGV[8] then same = math.max(same or at, at) end
    end
  end
end
-- Counted from now, since that is when its sender hears of it.
local function untilPassed(at, ms) return math.max(1, at + ms - now) end
if within >= most then return no("rate_limited", untilPassed(oldest, 30000), nil, most, 30) end
if not exempt and last and arrived - last < 1000 then return no("rate_limited", untilPassed(last, 1000), nil, 1, 1) end

local facts = ARGV[19] ~= "-" and call("GET", KEYS[13])
if (role or "") ~= ARGV[18] or ARGV[19] == "" then return { "member", role or "", facts or "" } end
if ARGV[19] ~= "-" and facts ~= ARGV[19] then
  -- Facts that were looked up before a change may be outdated: they count only if key 13 hasn't changed since (optimistic lock).
  if (facts or "") ~= ARGV[20] then return { "member", role or "", facts or "" } end
  call("SET", KEYS[13], ARGV[19], "EX", 120)
end
if ARGV[32] == "not_found" then return no("not_found") end
if ARGV[32] == "blocked" then return no("blocked") end

local enabled, slow, followers, emote, unique, shield =
  string.match(modes, "^(%-?%d+) (%-?%d+) (%-?%d+) (%-?%d+) (%-?%d+) (%-?%d+)")
slow, followers = tonumber(slow), tonumber(followers)
local moderates = role == "owner" or role == "moderator"
-- An act that is about to be done isn't refused for it: the channel sees the text, the room doesn't.
if enabled ~= "1" and not (isAct and isDryRun) then return no("chat_disabled") end
if not isAct then
  if slow > 0 and not exempt and last and arrived - last < slow * 1000 then
    return no("slow_mode", untilPassed(last, slow * 1000), nil, 1, slow)
  end
  if followers >= 0 and not exempt then
    local since = tonumber(ARGV[11] ~= "" and ARGV[11] or call("GET", KEYS[8]) or nil)
    if not since then return { "follow" } end
    if ARGV[11] ~= "" and since > 0 then call("SET", KEYS[8], ARGV[11], "EX", 300) end
    if since == 0 then return no("followers_only", nil, followers) end
    local follows = math.max(0, now - since)
    if follows < followers * 60000 then
      return no("followers_only", followers * 60000 - follows, followers)
    end
  end
  if shield == "1" and not exempt and #recent == 0 then
    local chatted = ARGV[23] ~= "" and ARGV[23] or call("GET", KEYS[14])
    if not chatted then return { "chatted" } end
    if ARGV[23] ~= "" then call("SET", KEYS[14], ARGV[23], "EX", 300) end
    if chatted == "0" then return no("first_time_chatter") end
  end
  if emote == "1" and ARGV[10] ~= "1" then return no("emote_only") end
end
if ARGV[21] == "block" and not moderates then return no("blocked_term") end
if not isAct then
  if unique == "1" and not exempt then
    local seen = tonumber(call("ZSCORE", KEYS[3], ARGV[9]) or nil)
    if seen and seen <= now and seen > arrived - 600000 then
      return no("duplicate_message", untilPassed(seen, 600000))
    end
  end
  if same then return no("duplicate_message", untilPassed(same, 30000)) end
  -- Back-pressure: the archive has fallen behind by all that memory is meant to hold. Refuse rather than lose.
  if call("XLEN", KEYS[6]) >= tonumber(ARGV[13]) then return no("unavailable", 5000) end
end
local holds = not moderates and (ARGV[21] == "hold" or (shield == "1" and ARGV[22] == "1"))
local mostHeld, mostOfAuthor = 500, 10
-- The refusal of what there is no place for among the held messages. Messages and acts have as many places each, so that neither
-- messages, which are free, take the place of what was paid for, nor acts close chat.
local function heldRefusal()
  local held, acts = call("HLEN", KEYS[15]), call("ZCOUNT", KEYS[19], "(" .. whole(now), "+inf")
  -- No moderator reads a longer queue: once it is full, senders wait until some messages have expired. What expired and isn't
  -- removed yet counts as messages; both together are limited so that acts don't pile up while nothing removes them.
  local isFull = (isAct and acts or held - acts) >= mostHeld or held >= 2 * mostHeld
  if isFull then return no("unavailable", 30000) end
  -- Nor may one author fill the queue and keep everybody else out: wait until enough of the author's last held ones have expired.
  local due = tonumber(call("LINDEX", KEYS[18], mostOfAuthor - 1) or nil)
  if due and due > now and due <= now + 300000 then return no("rate_limited", due - now, nil, mostOfAuthor, 300) end
end
if isDryRun then
  if not (isAct and holds) then return { "may" } end
  local refusal = heldRefusal() or {}
  refusal[1] = "may_hold"
  return refusal
end

local number, at = tonumber(seq) + 1, whole(now)
local function countSend()
  if isAct then return end
  call("LPUSH", KEYS[2], whole(arrived) .. ":" .. ARGV[8])
  if #recent >= most then call("LTRIM", KEYS[2], 0, 99) end
  call("EXPIRE", KEYS[2], 310)
end

if holds then
  local refusal = heldRefusal()
  if refusal then return refusal end
  local due = whole(now + 300000)
  call("LPUSH", KEYS[18], due)
  call("LTRIM", KEYS[18], 0, mostOfAuthor - 1)
  call("EXPIRE", KEYS[18], 310)
  call("HSET", KEYS[15], ARGV[24], due .. " " .. ARGV[25])
  call("ZADD", KEYS[16], due, ARGV[3] .. " " .. ARGV[24])
  call("EXPIRE", KEYS[15], 90060)
  if isAct then
    call("ZADD", KEYS[19], due, ARGV[24])
    call("ZREMRANGEBYSCORE", KEYS[19], "-inf", at)
    call("EXPIRE", KEYS[19], 310)
  end
  call("ZADD", KEYS[3], at, ARGV[9])
  call("EXPIRE", KEYS[3], 660)
  countSend()
  markSource()
  if ARGV[12] == "1" then call("SET", KEYS[4], "held:" .. ARGV[24], "EX", 600) end
  call("PUBLISH", ARGV[26], ARGV[27])
  return { "held", ARGV[24] }
end

-- Deletes some of the expired bans, and "hidden" fields of users whose messages the log no longer has, to keep the state small.
local function sweep()
  local oldest = call("XRANGE", KEYS[5], "-", "+", "COUNT", 1)[1][1]
  local function isBefore(a, b)
    local aEpoch, aSeq = string.match(a, "^(%d+)%-(%d+)$")
    local bEpoch, bSeq = string.match(b, "^(%d+)%-(%d+)$")
    if aEpoch ~= bEpoch then return tonumber(aEpoch) < tonumber(bEpoch) end
    return tonumber(aSeq) < tonumber(bSeq)
  end
  local scanned = call("HSCAN", KEYS[1], state[8] or "0", "COUNT", 500)
  for i = 1, #scanned[2], 2 do
    local field, value = scanned[2][i], scanned[2][i + 1]
    local kind = string.sub(field, 1, 2)
    local isOver = kind == "b:" and value ~= "0" and tonumber(value) <= now
    if isOver or (kind == "h:" and isBefore(value, oldest)) then call("HDEL", KEYS[1], field) end
  end
  call("HSET", KEYS[1], "swept", scanned[1])
end

seq = whole(number)
local event = ARGV[6] .. seq .. ARGV[7]
call("XADD", KEYS[5], "MAXLEN", "~", 20000, epoch .. "-" .. seq, "e", event, "u", ARGV[5], "s", user)
call("XADD", KEYS[6], "*", ARGV[3] .. " " .. epoch .. " " .. seq, event)
call("ZADD", KEYS[3], at, ARGV[9])
local placed = call("HINCRBY", KEYS[9], "last", 1)
call("HSET", KEYS[9], ARGV[5], epoch .. "-" .. seq, "#" .. whole(placed), ARGV[5])
if number % 64 == 0 then
  if call("ZCARD", KEYS[3]) > 20000 then call("ZREMRANGEBYRANK", KEYS[3], 0, 999) end
  -- As many as the log has events: everything in the log can be found by uuid, however far behind the archive is.
  local first = tonumber(call("HGET", KEYS[9], "first") or "1")
  for n = first, placed - 20480 do
    local field = "#" .. whole(n)
    call("HDEL", KEYS[9], field, call("HGET", KEYS[9], field) or field)
  end
  call("HSET", KEYS[9], "first", whole(math.max(first, placed - 20479)))
end
local renewed = tonumber(state[7] or "0")
if now - renewed < 60000 and now >= renewed then
  call("HSET", KEYS[1], "seq", seq)
else
  -- Each TTL is a minute longer than needed. What hides messages outlives the log that has their texts.
  call("HSET", KEYS[1], "seq", seq, "renewed", at)
  for _, key in ipairs({ KEYS[1], KEYS[10], KEYS[11], KEYS[15], KEYS[17] }) do call("EXPIRE", key, 90060) end
  for _, key in ipairs({ KEYS[5], KEYS[9] }) do call("EXPIRE", key, 86460) end
  call("EXPIRE", KEYS[3], 660)
  -- Written and not only renewed: Redis may have lost it since the sender's worker looked it up.
  call("SET", KEYS[12], ARGV[16], "EX", 90060)
  sweep()
end
countSend()
markSource()
if ARGV[12] == "1" then
  call("SET", KEYS[4], epoch .. ":" .. seq .. ":" .. ARGV[7], "EX", 600)
end
return { "ok", epoch, seq }
