import UV

/// Why a command that is well formed can't be executed.
enum CommandError: String, Error {
  case wrongType = "WRONGTYPE Operation against a key holding the wrong kind of value"
  case notInteger = "ERR value is not an integer or out of range"
  case overflow = "ERR increment or decrement would overflow"
  case syntax = "ERR syntax error"
  case invalidExpiry = "ERR invalid expire time"
  case tooLong = "ERR string exceeds maximum allowed size"
  case oddArguments = "ERR wrong number of arguments for 'mset' command"
}

/// The keys and what they hold: strings or lists, some of them for a while only.
///
/// Keys and values that come from a client share the memory of what was read. The store therefore keeps
/// copies, except of the pieces of large ones, which have memory of their own.
public struct Store: Sendable {
  /// Strings, each in memory where it can be changed.
  var strings: [Bytes: BytesBuilder] = [:]
  var lists: [Bytes: List] = [:]
  /// Large strings, in the pieces in which they came.
  var large: [Bytes: [Bytes]] = [:]
  /// When keys expire. A key that has expired is removed when somebody asks for it, or within a second or so.
  var deadlines: [Bytes: LoopClock.Instant] = [:]

  /// How many bytes a string may grow to.
  private(set) var maxValue: Int

  /// A store without keys.
  ///
  /// - Parameter maxValue: How many bytes a string may grow to.
  public init(maxValue: Int = 64 << 20) { self.maxValue = maxValue }

  /// How many keys there are.
  public var count: Int { strings.count + lists.count + large.count }
  /// How many of them expire.
  public var deadlineCount: Int { deadlines.count }

  /// Executes a command that concerns keys.
  public mutating func execute(_ command: Command, _ arguments: Arguments, _ answers: inout Answers) {
    do throws(CommandError) {
      switch command {
      case .get: try get(arguments[1], &answers)
      case .set: try set(arguments, &answers)
      case .mget, .mset, .append, .strlen, .incr, .incrby, .decr, .decrby:
        try executeOnStrings(command, arguments, &answers)
      case .lpush, .rpush, .lpop, .rpop, .llen, .lindex, .lrange:
        try executeOnLists(command, arguments, &answers)
      default: try executeOnKeys(command, arguments, &answers)
      }
    } catch {
      answers.error(error.rawValue)
    }
  }

  // MARK: Keys

  private mutating func executeOnKeys(
    _ command: Command, _ arguments: Arguments, _ answers: inout Answers
  ) throws(CommandError) {
    let key = arguments.count > 1 ? arguments[1] : Bytes()
    switch command {
    case .del: answers.integer(arguments.dropFirst().count { remove($0) })
    case .exists: answers.integer(arguments.dropFirst().count { has($0) })
    case .type: answers.status(!has(key) ? "none" : lists[key] != nil ? "list" : "string")
    case .expire: answers.integer(try expire(key, arguments[2], .seconds(1)) ? 1 : 0)
    case .pexpire: answers.integer(try expire(key, arguments[2], .milliseconds(1)) ? 1 : 0)
    case .persist: answers.integer(has(key) && deadlines.removeValue(forKey: key) != nil ? 1 : 0)
    case .ttl: answers.integer(timeLeft(key, .seconds(1)))
    case .pttl: answers.integer(timeLeft(key, .milliseconds(1)))
    case .dbsize: answers.integer(count)
    case .flushall:
      self = Store(maxValue: maxValue)
      answers.ok()
    default: preconditionFailure("\(command) is executed elsewhere")
    }
  }

  mutating func has(_ key: Bytes) -> Bool {
    removeIfExpired(key)
    return strings[key] != nil || lists[key] != nil || large[key] != nil
  }

  @discardableResult
  mutating func remove(_ key: Bytes) -> Bool {
    removeIfExpired(key)
    deadlines[key] = nil
    return strings.removeValue(forKey: key) != nil || lists.removeValue(forKey: key) != nil
      || large.removeValue(forKey: key) != nil
  }

  // MARK: Time

  mutating func removeIfExpired(_ key: Bytes) {
    guard !deadlines.isEmpty, let deadline = deadlines[key], deadline <= .now else { return }
    deadlines[key] = nil
    strings[key] = nil
    lists[key] = nil
    large[key] = nil
  }

  /// Removes keys that have expired: some of them, so that nobody waits long for the lock.
  public mutating func removeExpired() {
    let now = LoopClock.Instant.now
    let expired = deadlines.lazy.filter { $0.value <= now }.prefix(10_000).map(\.key)
    for key in expired { removeIfExpired(key) }
  }

  private mutating func expire(
    _ key: Bytes, _ time: Bytes, _ unit: Duration
  ) throws(CommandError) -> Bool {
    guard let time = time.decimal else { throw .notInteger }
    guard has(key) else { return false }
    if time <= 0 { return remove(key) }
    deadlines[key.copy()] = try deadline(time, unit)
    return true
  }

  func deadline(_ time: Int, _ unit: Duration) throws(CommandError) -> LoopClock.Instant {
    // A hundred years: a limit with which no sum overflows.
    guard time > 0, time < 3_200_000_000 else { throw .invalidExpiry }
    return .now.advanced(by: unit * time)
  }

  /// The units until the key expires; -1 if it doesn't, -2 if there is no such key.
  private mutating func timeLeft(_ key: Bytes, _ unit: Duration) -> Int {
    guard has(key) else { return -2 }
    guard let deadline = deadlines[key] else { return -1 }
    return Int((LoopClock.Instant.now.duration(to: deadline) / unit).rounded())
  }
}
