import UV

extension Store {
  mutating func string(_ key: Bytes) throws(CommandError) -> Bytes? {
    removeIfExpired(key)
    if let value = strings[key] { return value }
    if !large.isEmpty, let pieces = large[key] {
      let value = Bytes(joining: pieces)
      keep(value, key)
      return value
    }
    if lists[key] != nil { throw .wrongType }
    return nil
  }

  /// Keeps a value under a key.
  mutating func keep(_ value: Bytes, _ key: Bytes) {
    // An argument that came in several pieces has memory of its own, and others share theirs.
    let value = value.count < Answers.largeCount ? value.copy() : value
    if let index = strings.index(forKey: key) {
      strings.values[index] = value
    } else {
      if !lists.isEmpty { lists[key] = nil }
      if !large.isEmpty { large[key] = nil }
      strings[key.copy()] = value
    }
  }

  /// Keeps a large value as it came.
  public mutating func keep(_ pieces: [Bytes], _ key: Bytes) {
    remove(key)
    large[key.copy()] = pieces
  }

  mutating func get(_ key: Bytes, _ answers: inout Answers) throws(CommandError) {
    if !large.isEmpty {
      removeIfExpired(key)
      if let pieces = large[key] { return answers.bulk(pieces) }
    }
    answers.bulk(try string(key))
  }

  /// `SET key value [NX | XX] [EX seconds | PX milliseconds | KEEPTTL]`
  mutating func set(_ arguments: [Bytes], _ answers: inout Answers) throws(CommandError) {
    let key = arguments[1]
    if arguments.count == 3 {
      if !deadlines.isEmpty { deadlines[key] = nil }
      keep(arguments[2], key)
      return answers.ok()
    }
    var options = arguments[3...].map { $0.description.uppercased() }[...]
    var (mustExist, keepsDeadline): (Bool?, Bool) = (nil, false)
    var expiry: (time: Int, unit: Duration)?
    while let option = options.popFirst() {
      switch option {
      case "NX" where mustExist == nil: mustExist = false
      case "XX" where mustExist == nil: mustExist = true
      case "KEEPTTL" where expiry == nil: keepsDeadline = true
      case "EX" where expiry == nil && !keepsDeadline, "PX" where expiry == nil && !keepsDeadline:
        guard let text = options.popFirst() else { throw .syntax }
        guard let time = Int(text) else { throw .notInteger }
        expiry = (time, option == "EX" ? .seconds(1) : .milliseconds(1))
      default: throw .syntax
      }
    }
    let exists = has(key)
    if let mustExist, mustExist != exists { return answers.bulk(nil) }
    if let expiry {
      deadlines[key.copy()] = try deadline(expiry.time, expiry.unit)
    } else if !keepsDeadline {
      deadlines[key] = nil
    }
    keep(arguments[2], key)
    answers.ok()
  }

  mutating func executeOnStrings(
    _ command: Command, _ arguments: [Bytes], _ answers: inout Answers
  ) throws(CommandError) {
    let key = arguments[1]
    switch command {
    case .mget:
      // A list among the keys counts as nothing, as in Redis.
      answers.array(of: arguments.dropFirst().map { try? string($0) })
    case .mset:
      guard arguments.count % 2 == 1 else { throw .oddArguments }
      for index in stride(from: 1, to: arguments.count, by: 2) {
        deadlines[arguments[index]] = nil
        keep(arguments[index + 1], arguments[index])
      }
      answers.ok()
    case .append:
      let old = try string(key) ?? Bytes()
      if old.count + arguments[2].count > maxValue { throw .tooLong }
      var value = BytesBuilder(capacity: old.count + arguments[2].count)
      value.append(old)
      value.append(arguments[2])
      answers.integer(value.count)
      keep(value.takeBytes(), key)
    case .strlen: answers.integer(try string(key)?.count ?? 0)
    case .incr: answers.integer(try add(1, key))
    case .decr: answers.integer(try add(-1, key))
    case .incrby, .decrby:
      guard let amount = arguments[2].decimal, amount > .min else { throw .notInteger }
      answers.integer(try add(command == .incrby ? amount : -amount, key))
    default: preconditionFailure("\(command) is executed elsewhere")
    }
  }

  /// Counts. The expiry of the key stays.
  private mutating func add(_ amount: Int, _ key: Bytes) throws(CommandError) -> Int {
    guard let old = (try string(key) ?? "0").decimal else { throw .notInteger }
    let (sum, overflows) = old.addingReportingOverflow(amount)
    if overflows { throw .overflow }
    var text = BytesBuilder(capacity: 20)
    text.append(decimal: sum)
    keep(text.takeBytes(), key)
    return sum
  }
}

extension Bytes {
  /// The bytes of all pieces in one.
  public init(joining pieces: [Bytes]) {
    var all = BytesBuilder(capacity: pieces.reduce(0) { $0 + $1.count })
    for piece in pieces { all.append(piece) }
    self = all.takeBytes()
  }
}
