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
