/// What a ``Pool`` has now, and what has happened since it was made; see ``Pool/counts``.
public struct PoolCounts: Hashable, Sendable {
  /// Resources that are lent now.
  public var leased = 0
  /// Resources that nobody uses now.
  public var idle = 0
  /// Resources that are being created now.
  public var creating = 0
  /// Leases that wait now.
  public var waiting = 0

  /// Leases that were granted.
  public var leases = 0
  /// How long these leases have waited, all together.
  public var waitTime = Duration.zero
  /// Leases that failed with `timedOut`.
  public var timeouts = 0
  /// Leases that failed with `busy`, because too many waited.
  public var refused = 0
  /// Resources that were created.
  public var created = 0
  /// Creations that failed after all their attempts.
  public var failed = 0
  /// Resources that were closed because their idle time or their life was over.
  public var expired = 0
  /// Resources that became useless while they were idle, for example because the peer closed the connection.
  public var gone = 0
  /// Resources that came back and weren't reusable, or were discarded.
  public var discarded = 0
  /// Leases that were dropped without being given back. More than none means that a program has a mistake.
  public var dropped = 0

  /// Creates counts, all of them zero: the beginning of a sum.
  public init() {}

  /// Adds the counts of another pool.
  public static func += (a: inout PoolCounts, b: PoolCounts) {
    for path in fields { a[keyPath: path] += b[keyPath: path] }
    a.waitTime += b.waitTime
  }

  /// The events alone, without the present state.
  package var events: PoolCounts {
    var events = self
    (events.leased, events.idle, events.creating, events.waiting) = (0, 0, 0, 0)
    return events
  }

  private static var fields: [WritableKeyPath<PoolCounts, Int>] {
    [
      \.leased, \.idle, \.creating, \.waiting, \.leases, \.timeouts, \.refused, \.created, \.failed,
      \.expired,
      \.gone, \.discarded, \.dropped,
    ]
  }
}
