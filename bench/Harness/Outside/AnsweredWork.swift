import ArgumentParser

/// What a server has answered by HTTP: the least and the most of each figure. Two servers are compared only if they do
/// the same work.
struct AnsweredWork: Sendable {
  /// How alike the answers have to be.
  enum Likeness: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// Whatever they answer.
    case none
    /// The status is the same.
    case status
    /// And the length of the body.
    case length
    /// And each byte of it.
    case bytes
  }

  private let status, length, digest: ClosedRange<UInt64>

  /// Nil where the load generator has seen no answer by HTTP.
  init?(_ counters: [Counter: UInt64]) {
    func range(_ name: String) -> ClosedRange<UInt64>? {
      guard let low = counters[Counter(rawValue: name + "_low")],
        let high = counters[Counter(rawValue: name + "_high")], low <= high
      else { return nil }
      return low...high
    }
    guard let status = range("status"), let length = range("length"), let digest = range("digest") else {
      return nil
    }
    (self.status, self.length, self.digest) = (status, length, digest)
  }

  /// What the other server does otherwise, in words; nil for the same work. Where a server's own answers differ from
  /// each other, such as in a date, those of the other may lie anywhere between them.
  func difference(from old: AnsweredWork, _ likeness: Likeness) -> String? {
    guard likeness != .none, !overlaps(old, likeness) else { return nil }
    let isOfBytes = status.overlaps(old.status) && length.overlaps(old.length)
    return isOfBytes ? "the bytes of the bodies differ" : "the old one answers \(old), the new one \(self)"
  }

  private func overlaps(_ old: AnsweredWork, _ likeness: Likeness) -> Bool {
    guard status.overlaps(old.status) else { return false }
    if likeness == .status { return true }
    guard length.overlaps(old.length) else { return false }
    let isFixed = digest.lowerBound == digest.upperBound && old.digest.lowerBound == old.digest.upperBound
    return likeness == .length || !isFixed || digest == old.digest
  }
}

extension AnsweredWork: CustomStringConvertible {
  /// `200 with 13 bytes`.
  var description: String { "\(Self.text(status)) with \(Self.text(length)) bytes" }

  private static func text(_ range: ClosedRange<UInt64>) -> String {
    range.lowerBound == range.upperBound
      ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
  }
}
