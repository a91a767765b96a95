/// Finds how many operations take about as long as a window shall be.
struct Calibration: Sendable {
  let target: Double
  private(set) var operations: Int
  private var tries = 0
  private var wasNear = false

  init(target: Double, operations: Int = 8) {
    self.target = target
    self.operations = max(1, operations)
  }

  /// Takes note that `operations` took `wall` nanoseconds. Returns true when that was
  /// near enough to be scaled, and the one before it too: the first may have been that of a
  /// program that still starts. Then `operations` is the answer.
  mutating func note(wall: Double) -> Bool {
    tries += 1
    let scale = target / max(wall, 1)
    let near = wall >= target / 3
    defer { wasNear = near }
    // A short window is mostly noise and start-up: trust it for a factor of ten at most.
    let next = Double(operations) * (near ? scale : min(scale, 10))
    operations = Self.rounded(next)
    return near && wasNear || tries >= 12
  }

  /// Two significant digits are enough, and easier to read.
  static func rounded(_ value: Double) -> Int {
    guard value > 1 else { return 1 }
    var unit = 1.0
    while value / unit >= 100 { unit *= 10 }
    return Int((value / unit).rounded() * unit)
  }
}

/// Decides when a row is warm: two windows in a row that differ by less than 2 %, or the limit.
struct WarmUp: Sendable {
  private let limit: Double
  private var elapsed = 0.0
  private var last: Double?
  /// Whether the row settled, or the limit was reached first.
  private(set) var settled = false

  init(limit: Double) { self.limit = limit }

  /// Takes note of a window; returns true when no more are needed.
  mutating func note(wall: Double) -> Bool {
    elapsed += wall
    if let last, abs(wall - last) < 0.02 * last { settled = true }
    last = wall
    return settled || elapsed >= limit
  }
}
