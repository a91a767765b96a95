import UV

/// The commands that the server knows.
public enum Command: String, CaseIterable, Sendable {
  case append = "APPEND"
  case command = "COMMAND"
  case config = "CONFIG"
  case dbsize = "DBSIZE"
  case decr = "DECR"
  case decrby = "DECRBY"
  case del = "DEL"
  case echo = "ECHO"
  case exists = "EXISTS"
  case expire = "EXPIRE"
  case flushall = "FLUSHALL"
  case get = "GET"
  case incr = "INCR"
  case incrby = "INCRBY"
  case info = "INFO"
  case lindex = "LINDEX"
  case llen = "LLEN"
  case lpop = "LPOP"
  case lpush = "LPUSH"
  case lrange = "LRANGE"
  case mget = "MGET"
  case mset = "MSET"
  case persist = "PERSIST"
  case pexpire = "PEXPIRE"
  case ping = "PING"
  case pttl = "PTTL"
  case quit = "QUIT"
  case rpop = "RPOP"
  case rpush = "RPUSH"
  case select = "SELECT"
  case set = "SET"
  case strlen = "STRLEN"
  case ttl = "TTL"
  case type = "TYPE"

  /// How many words the command may have, with its name.
  public var arity: ClosedRange<Int> {
    switch self {
    case .dbsize, .quit: 1...1
    case .ping, .flushall: 1...2
    case .info, .command: 1...Int.max
    case .decr, .echo, .get, .incr, .llen, .persist, .pttl, .select, .strlen, .ttl, .type: 2...2
    case .lpop, .rpop: 2...3
    case .del, .exists, .mget: 2...Int.max
    case .append, .config, .decrby, .expire, .incrby, .lindex, .pexpire: 3...3
    case .lpush, .mset, .rpush, .set: 3...Int.max
    case .lrange: 4...4
    }
  }

  /// The command of this name, in capitals or not.
  init?(_ name: Span<UInt8>) {
    // A byte that counts for nothing would make no difference in front.
    guard !name.isEmpty, name.count <= 8, name[0] & 0xdf != 0 else { return nil }
    let key = Self.key(name)
    guard let entry = Self.table[Self.place(key, Self.table.count)], entry.key == key else { return nil }
    self = entry.command
  }

  /// Each command in a place of its own, which follows from its name: the smallest table where no two share one. A
  /// dictionary would hash each name as if a client could choose what names there are.
  private static let table: [(key: UInt64, command: Command)?] = {
    let entries = allCases.map { (key: key(Bytes($0.rawValue).span), command: $0) }
    var count = entries.count
    while Set(entries.map { place($0.key, count) }).count < entries.count { count += 1 }
    var table = [(key: UInt64, command: Command)?](repeating: nil, count: count)
    for entry in entries { table[place(entry.key, count)] = entry }
    return table
  }()

  private static func place(_ key: UInt64, _ count: Int) -> Int { Int(key % UInt64(count)) }

  /// Up to eight letters as a number, without regard to case.
  private static func key(_ name: Span<UInt8>) -> UInt64 {
    var key: UInt64 = 0
    for index in name.indices { key = key << 8 | UInt64(name[index] & 0xdf) }
    return key
  }
}
