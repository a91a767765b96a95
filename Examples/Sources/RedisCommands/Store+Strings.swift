import UV

extension Store {
  mutating func string(_ key: Bytes) throws(CommandError) -> Bytes? {
    removeIfExpired(key)
    if let value = strings[key] { return Bytes(value) }
    if !large.isEmpty, let pieces = large[key] {
      let value = Bytes(joining: pieces)
      keep(value, key)
      return value
    }
    if lists[key] != nil { throw .wrongType }
    return nil
  }

  /// Keeps a value under a key, in the memory of the one before if nobody uses that any more.
  mutating func keep(_ value: Bytes, _ key: Bytes) {
    if let index = strings.index(forKey: key) {
      strings.values[index].replaceAll(by: value)
    } else {
      if !lists.isEmpty { lists[key] = nil }
      if !large.isEmpty { large[key] = nil }
      var string = BytesBuilder()
      string.append(value)
      strings[key.copy()] = string
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
  mutating func set(_ arguments: Arguments, _ answers: inout Answers) throws(CommandError) {
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
    _ command: Command, _ arguments: Arguments, _ answers: inout Answers
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
      if (try string(key)?.count ?? 0) + arguments[2].count > maxValue { throw .tooLong }
      if strings[key] == nil { keep(Bytes(), key) }
      strings[key]!.append(arguments[2])
      answers.integer(strings[key]!.count)
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

extension BytesBuilder {
  /// Has other bytes in place of its own. Memory that is much too large for them isn't kept.
  fileprivate mutating func replaceAll(by bytes: Bytes) {
    removeAll(keepingCapacity: capacity <= max(64, 2 * bytes.count))
    append(bytes)
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
