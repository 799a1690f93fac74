/// The scripts of leases. Each is one round trip, and atomic.
///
/// A lease is `h:<born>:<token>:<token of the hedge>`, with the time of Redis in milliseconds. An outcome is
/// `o:<position>:<code>`; it is ignored by nodes that have applied more of the log of purges than the one that left it.
enum FlightScripts {
  /// Keys: lease, waiters, value. Arguments: token, lease in ms, inbox or nothing, position, age in ms from which on this
  /// call leads as well or 0. Answers `1, hedge`, `0, age, left`, or `2, code, value`.
  static let acquire = RedisScript(
    """
    local t = redis.call('TIME')
    local now = t[1] * 1000 + math.floor(t[2] / 1000)
    local v = redis.call('GET', KEYS[1])
    if v then
      local position, code = string.match(v, '^o:(%d+):(.*)$')
      if position and tonumber(position) >= tonumber(ARGV[4]) then
        if code ~= 'v' then return {2, code} end
        local value = redis.call('GET', KEYS[3])
        if value then return {2, code, value} end
      end
      local born, owner, second = string.match(v, '^h:(%d+):(%x+):(%x*)$')
      if born then
        local age = now - born
        local after = tonumber(ARGV[5])
        if after > 0 and age >= after and second == '' then
          redis.call('SET', KEYS[1], 'h:' .. born .. ':' .. owner .. ':' .. ARGV[1], 'PX', ARGV[2])
          return {1, 1}
        end
        if ARGV[3] ~= '' then
          redis.call('SADD', KEYS[2], ARGV[3])
          redis.call('PEXPIRE', KEYS[2], 60000)
        end
        return {0, age, redis.call('PTTL', KEYS[1])}
      end
    end
    redis.call('SET', KEYS[1], string.format('h:%d:%s:', now, ARGV[1]), 'PX', ARGV[2])
    return {1, 0}
    """)

  /// Keys: lease. Arguments: token, lease in ms. Answers 0 to one that has lost the lease.
  static let renew = RedisScript(
    """
    local v = redis.call('GET', KEYS[1])
    if not v then return 0 end
    local owner, second = string.match(v, '^h:%d+:(%x+):(%x*)$')
    if ARGV[1] ~= owner and ARGV[1] ~= second then return 0 end
    return redis.call('PEXPIRE', KEYS[1], ARGV[2])
    """)

  /// Keys: lease, waiters, value. Arguments: token, outcome or nothing, its time in ms, value or nothing, message. Answers 0
  /// to one that has lost the lease. Without an outcome, the lease is left to the hedge, if there is one.
  static let release = RedisScript(
    """
    local v = redis.call('GET', KEYS[1])
    if not v then return 0 end
    local born, owner, second = string.match(v, '^h:(%d+):(%x+):(%x*)$')
    if ARGV[1] ~= owner and ARGV[1] ~= second then return 0 end
    if ARGV[2] == '' and second ~= '' then
      local other = owner
      if ARGV[1] == owner then other = second end
      redis.call('SET', KEYS[1], 'h:' .. born .. ':' .. other .. ':', 'KEEPTTL')
      return 1
    end
    if ARGV[2] == '' then
      redis.call('DEL', KEYS[1])
    else
      if ARGV[4] ~= '' then redis.call('SET', KEYS[3], ARGV[4], 'PX', ARGV[3]) end
      redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
    end
    local waiters = redis.call('SMEMBERS', KEYS[2])
    redis.call('DEL', KEYS[2])
    for _, inbox in ipairs(waiters) do redis.call('PUBLISH', inbox, ARGV[5]) end
    return 1 + #waiters
    """)
}
