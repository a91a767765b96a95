/// The oldest of many entries, in the order of their age. The others are only counted.
struct OldestEntries<Entry> {
  private let limit: Int
  private var kept: [(start: UInt64, entry: Entry)] = []
  private(set) var count = 0

  init(limit: Int) { self.limit = limit }

  var entries: [Entry] { kept.map(\.entry) }

  /// Adds an entry that began at `start`. Of several that began at the same time, the one that is added last
  /// is the oldest, as in the loop's lists.
  mutating func add(_ entry: Entry, since start: UInt64) {
    count += 1
    if kept.count >= limit {
      guard let last = kept.last, start <= last.start else { return }
      kept.removeLast()
    }
    // Most entries of a long list aren't kept, so few move others.
    var index = kept.count
    while index > 0, kept[index - 1].start >= start { index -= 1 }
    kept.insert((start, entry), at: index)
  }

  func list<Value>(_ value: (Entry) -> Value) -> SnapshotList<Value> {
    SnapshotList(entries.map(value), count: count)
  }
}
