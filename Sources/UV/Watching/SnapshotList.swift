/// Entries of a kind in a ``LoopSnapshot``: some of them, and how many there are in all.
public struct SnapshotList<Entry> {
  /// The entries, at most as many as the snapshot's limit.
  public var entries: [Entry]
  /// How many entries there are, including those that were left out.
  public var count: Int

  /// Creates a list.
  package init(_ entries: [Entry] = [], count: Int? = nil) {
    self.entries = entries
    self.count = count ?? entries.count
  }

  /// How many entries were left out because of the limit.
  public var omittedCount: Int { count - entries.count }
}

extension SnapshotList: Sendable where Entry: Sendable {}
extension SnapshotList: Equatable where Entry: Equatable {}
extension SnapshotList: Hashable where Entry: Hashable {}
extension SnapshotList: Encodable where Entry: Encodable {}
extension SnapshotList: Decodable where Entry: Decodable {}
