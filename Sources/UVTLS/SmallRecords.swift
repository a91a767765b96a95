/// Decides how large the next record is, for ``TLSOptions/smallFirstRecords``.
package struct SmallRecords {
  /// With its header and the headers of TCP and IP, it fits into one packet of 1,500 bytes, and into one that
  /// a tunnel has made smaller.
  package static let recordSize = 1300
  /// How many bytes leave in small records: about what a connection that begins may send before it hears from
  /// its peer.
  package static let countAfterIdle = 16_384
  /// After so long without a write, TCP begins anew, too.
  static let idle = Duration.seconds(1)

  private var left = SmallRecords.countAfterIdle
  private var lastWrite: LoopClock.Instant?

  package init() {}

  /// Begins a write.
  package mutating func begin(at now: LoopClock.Instant) {
    if let lastWrite, lastWrite.duration(to: now) >= Self.idle { left = Self.countAfterIdle }
    lastWrite = now
  }

  /// How many of so many bytes go into the next call of OpenSSL's.
  package mutating func next(of count: Int) -> Int {
    if left == 0 { return count }
    let taken = min(count, Self.recordSize, left)
    left -= taken
    return taken
  }
}
