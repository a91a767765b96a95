import CBenchSupport

/// Numbers that can be repeated: splitmix64. One source for all that is under way, hence a class.
final class RandomSource {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  func next() -> UInt64 {
    defer { state &+= 0x9e37_79b9_7f4a_7c15 }
    return bench_mix(state)
  }

  func number(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }

  /// Whether something that happens once in `count` times does.
  func oneIn(_ count: Int) -> Bool { number(1...count) == 1 }
}
