-- Writes how many sockets of an address or a user a worker has, over whatever was there; refuses nothing.
-- KEYS  1 sockets (hash: worker -> how many)
-- ARGV  1 worker   2 how many, 1 or more   3 ms for which KEYS[1] is kept
-- Returns 1.
redis.call("HSET", KEYS[1], ARGV[1], ARGV[2])
redis.call("PEXPIRE", KEYS[1], ARGV[3])
return 1
