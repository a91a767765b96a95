/// How much a ``Pool`` may hold, and for how long.
///
/// ```swift
/// var limits = PoolLimits()
/// limits.resources = 4
/// limits.wait = .seconds(2)
/// let pool = Pool(loop.tcp.connect(host: "localhost", port: 6379), limits: limits)
/// ```
public struct PoolLimits: Sendable {
  /// How many resources there may be, lent, idle and being created, 1 or more; 10 by default.
  public var resources = 10
  /// How many may wait for a resource beyond those that are being created, 0 or more; 1,000 by default. Others
  /// are refused with `busy`.
  public var waiters = 1000
  /// How long each may wait; 30 s by default. The lease then fails with `timedOut`. So a function that holds
  /// the only resource and asks for another gets an error, and doesn't wait for ever.
  public var wait = Duration.seconds(30)
  /// How long one attempt to create a resource may take; 10 s by default.
  public var creation = Duration.seconds(10)
  /// How long a resource may be idle; 5 min by default. It is then closed. With zero, no resource is kept. The time counts
  /// from the beginning of the turn in which it is given back.
  public var idle = Duration.seconds(300)
  /// How long a resource may be used after it was created; 30 min by default. It is closed when it is idle or
  /// given back after that. Each time is shortened by a random part of up to a tenth, so that resources that
  /// were created together don't end together.
  public var lifetime = Duration.seconds(1800)

  /// The default limits.
  public init() {}
}

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
