-- Removes the window of watch time that was settled; a different one, completed since, stays.
--
-- KEYS  1 watch time (hash)   ARGV  1 member   2 window
-- Returns {}.

local known = redis.call("HGET", KEYS[1], ARGV[1])
if not known then return {} end
local sum, last, owed = string.match(known, "^(%d+):(%d+):?(%d*)$")
if owed == ARGV[2] then redis.call("HSET", KEYS[1], ARGV[1], sum .. ":" .. last .. ":") end
return {}
