/// The calls of a history: which began and ended before which others.
struct CallLog<Operation, Answer> {
  struct Entry {
    let operation: Operation
    let begin: Int
    /// The place of its end; that of a call which never ended is beyond all others.
    var end = Int.max
    var answer: Answer
  }

  private(set) var entries: [Entry] = []
  private var clock = 0

  /// Notes a call, and returns its index.
  ///
  /// - Parameter answer: Its answer until it ends.
  mutating func begin(_ operation: Operation, _ answer: Answer) -> Int {
    clock += 1
    entries.append(Entry(operation: operation, begin: clock, answer: answer))
    return entries.count - 1
  }

  mutating func end(_ index: Int, _ answer: Answer) {
    clock += 1
    entries[index].end = clock
    entries[index].answer = answer
  }
}
