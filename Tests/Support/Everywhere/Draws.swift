/// Numbers, and choices, that a seed repeats.
public final class Draws {
  private var state: UInt64

  /// The numbers of `seed`.
  public init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  /// A number from 0 to below `count`.
  public func draw(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % count
  }

  /// One of `all`, which isn't empty.
  public func one<T>(of all: [T]) -> T { all[draw(all.count)] }
}
