-- Counts one more socket of an address or a user over all workers, or refuses it; for an address its upgrade is
-- counted first. Each worker writes its own total, so that a repeat changes nothing.
--
-- KEYS  1 sockets (hash: worker -> number)   2 upgrades within the window (counter)
-- ARGV  1 worker   2 its number including this one   3 limit of sockets over all workers   4 TTL of KEYS[1], ms
--       5 limit of upgrades, or "" to count none   6 the upgrades' window, ms   7... dead workers, whose sockets are gone
-- Returns {refusal or "", upgrades in this window, ms left in it, worker, ...}
--   refusals: "upgrades", "sockets"   workers: all in the hash, with "sockets" or when there are more than 32

local call = redis.call

local upgrades, left = 0, tonumber(ARGV[6])
if ARGV[5] ~= "" then
  upgrades = call("INCR", KEYS[2])
  if upgrades == 1 then call("PEXPIRE", KEYS[2], ARGV[6]) else left = call("PTTL", KEYS[2]) end
  if upgrades > tonumber(ARGV[5]) then return { "upgrades", upgrades, left } end
end

for i = 7, #ARGV do call("HDEL", KEYS[1], ARGV[i]) end
local counts = call("HGETALL", KEYS[1])
local workers, others = {}, 0
for i = 1, #counts, 2 do
  workers[#workers + 1] = counts[i]
  if counts[i] ~= ARGV[1] then others = others + tonumber(counts[i + 1]) end
end
if others + tonumber(ARGV[2]) > tonumber(ARGV[3]) then
  return { "sockets", upgrades, left, unpack(workers) }
end
call("HSET", KEYS[1], ARGV[1], ARGV[2])
call("PEXPIRE", KEYS[1], ARGV[4])
if #workers > 32 then return { "", upgrades, left, unpack(workers) } end
return { "", upgrades, left }
