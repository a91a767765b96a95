/// Whether a style answers as soon as the row in C does, at the same rate of arrivals.
enum LatencyVerdict {
  /// How much longer the p99 of a style may be.
  static let bound = 1.25

  /// A line for each style in an open loop beside c; nothing for other rows.
  static func lines(_ rows: [RowResult]) -> [String] {
    guard rows.contains(where: { $0.style == .c }) else { return [] }
    return rows.filter { $0.style != .c && $0.arrivals != nil }.map { row in
      let base = rows.first { $0.isReference(of: row) }
      guard row.saturated != true, base?.saturated != true else {
        return "\(row.style): saturated, so that there is no p99 to compare"
      }
      guard let own = row.pooledLatency.p99, let reference = base?.pooledLatency.p99, reference > 0 else {
        return "\(row.style): too few samples for a p99"
      }
      let ratio = Double(own) / Double(reference)
      return "\(row.style): p99 \(Figure.ratio(ratio)) of c's, "
        + "\(ratio <= bound ? "within" : "above") \(Figure.ratio(bound))"
    }
  }
}
