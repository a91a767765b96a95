import UV

extension Store {
  mutating func executeOnLists(
    _ command: Command, _ arguments: Arguments, _ answers: inout Answers
  ) throws(CommandError) {
    let key = arguments[1]
    removeIfExpired(key)
    if strings[key] != nil || large[key] != nil { throw .wrongType }
    switch command {
    case .lpush, .rpush:
      if lists[key] == nil { lists[key.copy()] = List() }
      for value in arguments[2...] {
        // A part of what was read must not keep the rest.
        let value = value.count < Answers.largeCount ? value.copy() : value
        if command == .lpush { lists[key]!.prepend(value) } else { lists[key]!.append(value) }
      }
      answers.integer(lists[key]!.count)
    case .lpop: try pop(arguments, &answers) { $0.popFirst() }
    case .rpop: try pop(arguments, &answers) { $0.popLast() }
    case .llen: answers.integer(lists[key]?.count ?? 0)
    case .lindex:
      let list = lists[key] ?? List()
      let index = try position(arguments[2], in: list)
      answers.bulk(0..<list.count ~= index ? list[index] : nil)
    case .lrange:
      let list = lists[key] ?? List()
      let first = max(try position(arguments[2], in: list), 0)
      let end = min(max(try position(arguments[3], in: list), -1), list.count - 1) + 1
      answers.array(of: (first..<max(first, end)).map { list[$0] })
    default: preconditionFailure("\(command) is executed elsewhere")
    }
  }

  /// `LPOP key [count]`: with a count, the answer is an array.
  private mutating func pop(
    _ arguments: Arguments, _ answers: inout Answers, _ take: (inout List) -> Bytes?
  ) throws(CommandError) {
    let key = arguments[1]
    let limit = arguments.count > 2 ? arguments[2].decimal : 1
    guard let limit, limit >= 0 else { throw .notInteger }
    guard let count = lists[key]?.count else { return answers.bulk(nil) }
    if arguments.count > 2 {
      answers.array(of: (0..<min(limit, count)).map { _ in take(&lists[key]!) })
    } else {
      answers.bulk(take(&lists[key]!))
    }
    if lists[key]!.count == 0 { remove(key) }
  }

  /// The position that a number means; negative numbers count from the end.
  private func position(_ number: Bytes, in list: List) throws(CommandError) -> Int {
    guard let number = number.decimal else { throw .notInteger }
    return number < 0 ? number + list.count : number
  }
}

/// A list with two ends, both of which are cheap to change: two stacks, back to back.
struct List {
  /// The first elements; the very first is the last here.
  private var front: [Bytes] = []
  private var back: [Bytes] = []

  var count: Int { front.count + back.count }

  subscript(index: Int) -> Bytes {
    index < front.count ? front[front.count - 1 - index] : back[index - front.count]
  }

  mutating func prepend(_ value: Bytes) { front.append(value) }
  mutating func append(_ value: Bytes) { back.append(value) }

  mutating func popFirst() -> Bytes? {
    if front.isEmpty { split(at: (count + 1) / 2) }
    return front.popLast()
  }

  mutating func popLast() -> Bytes? {
    if back.isEmpty { split(at: count / 2) }
    return back.popLast()
  }

  /// Divides the elements anew, when one of the stacks has none left.
  private mutating func split(at index: Int) {
    let all = front.reversed() + back
    front = all[..<index].reversed()
    back = Array(all[index...])
  }
}
