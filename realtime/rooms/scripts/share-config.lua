-- Shares a room's configuration with all workers, unless a newer one is there: a slow worker may have read an older one.
--
-- KEYS  1 the configuration: JSON that begins with its version
-- ARGV  1 version   2 the configuration   3 TTL, s
-- Returns {"ok"} · {"stale"}

local kept = redis.call("GET", KEYS[1])
local version = kept and string.match(kept, '^{"version":(%d+)')
if version and tonumber(version) > tonumber(ARGV[1]) then return { "stale" } end
redis.call("SET", KEYS[1], ARGV[2], "EX", ARGV[3])
return { "ok" }
