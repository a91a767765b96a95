/// A histogram as it travels: the values that occurred and how often.
struct SparseHistogram: Hashable, Sendable {
  /// Values in nanoseconds, ascending.
  var values: [UInt64] = []
  var counts: [UInt64] = []

  var total: UInt64 { counts.reduce(0, +) }
}

// As a text: numbers by the thousand, each on a line of its own, nobody wants to read.
extension SparseHistogram: RawRepresentable, Codable {
  var rawValue: String { zip(values, counts).map { "\($0):\($1)" }.joined(separator: ",") }

  init?(rawValue: String) {
    for pair in rawValue.split(separator: ",") {
      let sides = pair.split(separator: ":", omittingEmptySubsequences: false)
      guard sides.count == 2, let value = UInt64(sides[0]), let count = UInt64(sides[1]) else { return nil }
      values.append(value)
      counts.append(count)
    }
  }
}

extension LatencyHistogram {
  init(_ sparse: SparseHistogram) {
    self.init()
    for (value, count) in zip(sparse.values, sparse.counts) { record(value, count: count) }
  }
}
