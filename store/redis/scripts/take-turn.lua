-- Waits in line for an actor: first come, first served, between processes. Advisory: it only saves conflicts.
-- KEYS[1] the line, a string of JSON: [{t: token, seen: ms of the last call, held: whether it has its turn}]
-- ARGV    token; "take" (again and again, also while it has its turn) or "leave"; after how long a silent holder loses
--         its turn, ms; after how long a silent waiter is struck off, ms
-- Returns how many are before this token; 0 = it is its turn, or it has left. Refuses nothing.
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
