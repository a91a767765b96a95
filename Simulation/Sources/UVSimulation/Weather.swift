import CSimulation

/// How bad a world's network, disks and system calls are.
///
/// A program has to stand each of them: a read or a write may always take less than was asked for, and a
/// packet may always be late. Chances are between 0 and 1.
public struct Weather: Sendable, Hashable {
  /// The least that something takes from one host to another.
  public var latency = Duration.microseconds(500)
  /// How much longer it may take.
  public var jitter = Duration.microseconds(100)
  /// The chance that a read or a write takes less than it could, and that what was sent arrives in parts.
  public var cut = 0.0
  /// The chance that a packet is lost. A stream sends it again, which takes 200 ms; a datagram is gone.
  public var loss = 0.0
  /// The chance that a datagram arrives twice.
  public var duplication = 0.0
  /// The chance that a call which waits is interrupted as by a signal (`EINTR`), and that a condition wakes
  /// for nothing. Never twice in a row.
  public var interruption = 0.0
  /// The chance that a socket which epoll reported isn't ready after all (`EAGAIN`), and that epoll reports
  /// one too early. Never twice in a row.
  public var refusal = 0.0
  /// The chance that something that wasn't synced is lost when a host crashes: what was written to a file, in
  /// whole or in part, or that a name was made, removed or changed. It is one half in every weather.
  public var unsyncedLoss = 0.5
  /// The chance that a call about a file fails: with `EIO`, with `EINTR`, or with `ENOSPC` if it needs room.
  /// It is 0 in every weather of ``Weather``'s own, because few programs get on with such a disk.
  public var diskError = 0.0

  /// The most bytes that a link carries in a second, each way, those of all connections and datagrams of two
  /// hosts together; nil, as in every weather of ``Weather``'s own, if that isn't limited. How many a link does,
  /// between half of that and all of it, is drawn. What is sent waits for what was sent before, and a datagram is
  /// dropped that would wait for more than a second.
  public var bandwidth: Int?

  /// A network that is always fast, on which nothing is lost.
  public static let calm = Weather()
  /// A network between two cities.
  public static let usual = Weather(
    latency: .milliseconds(5), jitter: .milliseconds(15), cut: 0.1, loss: 0.001, interruption: 0.001,
    refusal: 0.001)
  /// A network on which little works at once.
  public static let storm = Weather(
    latency: .milliseconds(1), jitter: .milliseconds(300), cut: 0.6, loss: 0.05, duplication: 0.05,
    interruption: 0.05, refusal: 0.05)

  /// Another mixture for each seed: each fault is there or not, and then rare or frequent. A storm of all
  /// faults at once hides what only one of them would show.
  public static func swarm(_ seed: UInt64) -> Weather {
    // Splitmix64, as in the kernel, so that the mixture depends on nothing else.
    var state = seed &+ 0x5851_F42D_4C95_7F2D
    func next(_ bound: UInt64) -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var x = state
      x = (x ^ (x >> 30)) &* 0xBF58_476D_1CE4_E5B9
      x = (x ^ (x >> 27)) &* 0x94D0_49BB_1331_11EB
      return (x ^ (x >> 31)) % bound
    }
    func chance(_ most: Double) -> Double { next(2) == 0 ? 0 : most * Double(1 + next(100)) / 100 }
    return Weather(
      latency: .microseconds(Int64(next(2) == 0 ? 10 : next(20_000))),
      jitter: .microseconds(Int64(next(2) == 0 ? 0 : next(300_000))),
      cut: chance(0.9), loss: chance(0.1), duplication: chance(0.1), interruption: chance(0.3),
      refusal: chance(0.3))
  }

  /// Creates a weather.
  public init(
    latency: Duration = .microseconds(500), jitter: Duration = .microseconds(100), cut: Double = 0,
    loss: Double = 0, duplication: Double = 0, interruption: Double = 0, refusal: Double = 0,
    unsyncedLoss: Double = 0.5, diskError: Double = 0, bandwidth: Int? = nil
  ) {
    self.latency = latency
    self.jitter = jitter
    self.cut = cut
    self.loss = loss
    self.duplication = duplication
    self.interruption = interruption
    self.refusal = refusal
    self.unsyncedLoss = unsyncedLoss
    self.diskError = diskError
    self.bandwidth = bandwidth
  }

  var raw: sim_weather {
    func millionths(_ chance: Double) -> UInt64 { UInt64((min(max(chance, 0), 1) * 1_000_000).rounded()) }
    return sim_weather(
      latency: UInt64(nanoseconds: latency), jitter: UInt64(nanoseconds: jitter), cut: millionths(cut),
      loss: millionths(loss), duplication: millionths(duplication),
      interruption: millionths(interruption), refusal: millionths(refusal),
      unsynced_loss: millionths(unsyncedLoss), disk_error: millionths(diskError),
      bandwidth: UInt64(max(bandwidth ?? 0, 0)))
  }
}
