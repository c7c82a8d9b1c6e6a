-- lease: renews a node number, or gives it back, for the one that holds it and for nobody else.
--
-- KEYS[1]  the node's key        ARGV[1]  what the holder wrote there
--                                ARGV[2]  milliseconds that the key shall live from now
--                                ARGV[3]  what to leave there: the same, or what a number at rest says
--
-- Replies  1  done     0  not the holder's: it ran out, and perhaps is another's by now

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[2])
return 1
