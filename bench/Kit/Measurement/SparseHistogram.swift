/// A histogram as it travels: the values that occurred and how often.
public struct SparseHistogram: Hashable, Sendable {
  /// Values in nanoseconds, ascending.
  public var values: [UInt64]
  /// How often each occurred.
  public var counts: [UInt64]

  public init(values: [UInt64] = [], counts: [UInt64] = []) {
    self.values = values
    self.counts = counts
  }

  /// Reads `<ns>:<count>,<ns>:<count>,…`; nil when the text is something else.
  public init?(_ text: some StringProtocol) {
    self.init()
    for pair in text.split(separator: ",") {
      let sides = pair.split(separator: ":", omittingEmptySubsequences: false)
      guard sides.count == 2, let value = UInt64(sides[0]), let count = UInt64(sides[1]) else {
        return nil
      }
      values.append(value)
      counts.append(count)
    }
  }
}

// As a text: numbers by the thousand, each on a line of its own, nobody wants to read.
extension SparseHistogram: RawRepresentable, Codable {
  /// `<ns>:<count>,<ns>:<count>,…`.
  public var rawValue: String { zip(values, counts).map { "\($0):\($1)" }.joined(separator: ",") }

  public init?(rawValue: String) { self.init(rawValue) }
}

extension LatencyHistogram {
  public init(_ sparse: SparseHistogram) {
    self.init()
    for (value, count) in zip(sparse.values, sparse.counts) { record(value, count: count) }
  }
}
