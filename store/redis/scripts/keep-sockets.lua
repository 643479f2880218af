-- Sets the number of sockets that a worker has of an address or a user, whatever it was; refuses nothing.
-- KEYS  1 sockets (hash: worker -> number)
-- ARGV  1 worker   2 number, 1 or more   3 TTL of KEYS[1], ms
-- Returns 1.
redis.call("HSET", KEYS[1], ARGV[1], ARGV[2])
redis.call("PEXPIRE", KEYS[1], ARGV[3])
return 1
