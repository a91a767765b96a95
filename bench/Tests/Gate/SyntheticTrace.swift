@testable import BenchHarness

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
    if Self.uniform(&random) < self.bias.chance {
      bias = random.next() & 1 == 0 ? self.bias.size : -self.bias.size
    }
    let head = 1 + change + bias
    var level = 0.0
    var drift = 0.0
    func batch(_ factor: Double) -> Double {
      if jumps.chance > 0, Self.uniform(&random) < jumps.chance {
        level = level == 0 ? jumps.size : 0
      }
      drift = autocorrelation * drift + noise * Self.normal(&random)
      return scale * factor * exp(level + drift)
    }
    var made: [Quad] = []
    made.reserveCapacity(quads)
    for _ in 0..<quads {
      let headFirst = random.next() & 1 == 0
      let (outer, inner) = headFirst ? (head, 1) : (1, head)
      let (first, second, third, fourth) = (batch(outer), batch(inner), batch(inner), batch(outer))
      made.append(
        headFirst
          ? Quad(base: [second, third], head: [first, fourth])
          : Quad(base: [first, fourth], head: [second, third]))
    }
    return made
  }

  // The library's generic functions are slow in a debug build, and this is called often.
  private static func uniform(_ random: inout SplitMix64) -> Double {
    Double(random.next() >> 11) * 0x1p-53
  }

  /// Nearly normal, by the sum of four uniform numbers.
  private static func normal(_ random: inout SplitMix64) -> Double {
    let word = random.next()
    let sum = (word & 0xFFFF) + (word >> 16 & 0xFFFF) + (word >> 32 & 0xFFFF) + (word >> 48)
    return (Double(sum) / 65536 - 2) * 1.7320508
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
