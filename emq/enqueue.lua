-- enqueue: admits one job, once.
--
-- KEYS[1]  the pending set          ARGV[1]  the job id, well formed (its key was built from it)
-- KEYS[2]  the job's row            ARGV[2]  the payload, any bytes
--
-- Replies  1         enqueued: the row is written and the id is pending
--          0         duplicate: the row was there, nothing is touched
--          EMQKIND   an error of its own class: the id names another kind

-- policy
if string.sub(ARGV[1], 1, 3) ~= 'JOB' then
  return redis.error_reply('EMQKIND job id must be JOB-namespaced')
end

-- existence
if redis.call('EXISTS', KEYS[2]) == 1 then
  return 0
end

-- write: nothing is rolled back here, so the act that can fail comes first, while there is nothing to undo
redis.call('ZADD', KEYS[1], 0, ARGV[1])
redis.call('HSET', KEYS[2], 'state', 'pending', 'attempts', '0', 'payload', ARGV[2])
return 1
