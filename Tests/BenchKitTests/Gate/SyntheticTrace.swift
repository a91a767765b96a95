import BenchKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Made-up measurements with the vices of real ones. What is true is known.
struct SyntheticTrace {
  /// How much slower the head is in truth.
  var change = 0.0
  /// The deviation of a batch, as a share of its time.
  var noise = 0.02
  /// How much of a deviation the next batch inherits.
  var autocorrelation = 0.0
  /// How likely a batch is to begin a spell in which the machine is slower, and how much.
  var jumps = (chance: 0.0, size: 0.3)
  /// How likely a pair of processes is to differ steadily, and by how much.
  var bias = (chance: 0.0, size: 0.055)
  /// How many quads a pair has.
  var quads = 75
  /// How many nanoseconds a batch takes.
  var scale = 2e7

  /// The quads of three pairs.
  func pairs(_ random: inout SplitMix64) -> [[Quad]] {
    (0..<3).map { _ in pair(&random) }
  }

  /// The shifts of three pairs.
  func shifts(_ random: inout SplitMix64) -> [[Double]] {
    pairs(&random).map { $0.compactMap(\.shift) }
  }

  private func pair(_ random: inout SplitMix64) -> [Quad] {
    var bias = 0.0
    if Double.random(in: 0..<1, using: &random) < self.bias.chance {
      bias = Bool.random(using: &random) ? self.bias.size : -self.bias.size
    }
    var level = 0.0
    var drift = 0.0
    func batch(_ change: Double) -> Double {
      if Double.random(in: 0..<1, using: &random) < jumps.chance {
        level = level == 0 ? jumps.size : 0
      }
      drift = autocorrelation * drift + noise * Self.normal(&random)
      return scale * (1 + change) * exp(level + drift)
    }
    return (0..<quads).map { _ in
      let headFirst = Bool.random(using: &random)
      let head = change + bias
      let times = (headFirst ? [head, 0, 0, head] : [0, head, head, 0]).map(batch)
      let (outer, inner) = ([times[0], times[3]], [times[1], times[2]])
      return headFirst ? Quad(base: inner, head: outer) : Quad(base: outer, head: inner)
    }
  }

  private static func normal(_ random: inout SplitMix64) -> Double {
    let radius = sqrt(-2 * log(1 - Double.random(in: 0..<1, using: &random)))
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
  }

  /// The kinds of noise that the bounds below must hold under.
  static let kinds: [(name: String, trace: SyntheticTrace)] = [
    ("log-normal", SyntheticTrace()),
    ("wide", SyntheticTrace(noise: 0.06)),
    ("autocorrelated", SyntheticTrace(noise: 0.02, autocorrelation: 0.8)),
    ("regime jumps", SyntheticTrace(jumps: (0.05, 0.4))),
    ("biased processes", SyntheticTrace(bias: (0.06, 0.055))),
  ]
}
