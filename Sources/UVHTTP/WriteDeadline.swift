#if HTTP || Everything
import UV

/// When a peer has to have taken what waits for it. A peer that takes a byte now and then renews the timeout of
/// silence, and not this one.
struct WriteDeadline {
  private var end: LoopClock.Instant?

  var isSet: Bool { end != nil }

  /// How long a peer may take for so many bytes, beyond the time in which it may be silent.
  ///
  /// - Parameter rate: How many bytes in a second it has to take.
  static func time(for byteCount: Int, rate: Int) -> Duration {
    .milliseconds(byteCount * 1000 / max(rate, 1))
  }

  /// More bytes wait. The first of them have the time of silence beside their own.
  mutating func extend(_ stream: ByteStream, by time: Duration, silence: Duration) {
    let now = LoopClock.Instant.now
    let end = self.end?.advanced(by: time) ?? now.advanced(by: silence + time)
    self.end = end
    stream.totalTimeout = now.duration(to: end)
  }

  /// The peer has taken all.
  mutating func clear(_ stream: ByteStream) {
    if !isSet { return }
    end = nil
    stream.totalTimeout = nil
  }
}
#endif
