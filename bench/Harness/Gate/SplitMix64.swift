import CBenchSupport

/// A small generator of random numbers that follow from a seed.
struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    defer { state &+= 0x9e37_79b9_7f4a_7c15 }
    return bench_mix(state)
  }
}
