-- A FIFO queue for an actor, between processes. Advisory: it only avoids conflicts.
-- KEYS[1] the queue, JSON: [{t: token, seen: ms of the last call, held: whether it holds the lock}]
-- ARGV    token; "take" (poll, or renew while it holds the lock) or "leave"; after how long a silent holder loses
--         the lock, ms; after how long a silent waiter is dropped, ms
-- Returns how many are ahead of this token; 0 = it holds the lock, or has left. Refuses nothing.
local token, act = ARGV[1], ARGV[2]
local holderMs, waiterMs = tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local line, mine = {}, nil
for _, one in ipairs(cjson.decode(redis.call('GET', KEYS[1]) or '[]')) do
  local alive = now - one.seen < (one.held and holderMs or waiterMs)
  if one.t == token then
    mine = one
    if act ~= 'leave' then line[#line + 1] = one end
  elseif alive then
    line[#line + 1] = one
  end
end

if act ~= 'leave' then
  if not mine then
    mine = { t = token }
    line[#line + 1] = mine
  end
  mine.seen = now
  mine.held = mine.held or line[1].t == token
end

local before = 0
if act ~= 'leave' and not mine.held then
  while line[before + 1].t ~= token do before = before + 1 end
end

if #line == 0 then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], cjson.encode(line), 'PX', holderMs * 2)
end
return before
