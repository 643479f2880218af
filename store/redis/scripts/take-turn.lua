-- Waits in line for an actor: first come, first served, between processes. Advisory: it only saves conflicts.
-- KEYS[1] the line, a string of JSON: [{t: token, seen: ms of the last call, held: ms since it has its turn}]
-- ARGV    token; "take" or "leave"; how long a turn may last, ms; after how long a silent waiter is struck off, ms
-- Returns 1 = it is this token's turn (or it has left), 0 = wait and ask again. Refuses nothing.
local token, act = ARGV[1], ARGV[2]
local turnMs, silentMs = tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local line, mine = {}, nil
for _, one in ipairs(cjson.decode(redis.call('GET', KEYS[1]) or '[]')) do
  local alive = one.held and now - one.held < turnMs or not one.held and now - one.seen < silentMs
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
  if line[1].t == token and not mine.held then mine.held = now end
end

if #line == 0 then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], cjson.encode(line), 'PX', turnMs * 2)
end
if act == 'leave' or mine.held then return 1 end
return 0
