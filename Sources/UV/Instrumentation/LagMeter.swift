import CUV

/// The lengths of a loop's turns, in a histogram of fixed size. Recording allocates nothing.
///
/// The buckets are those of an HDR histogram: each power of two is divided into 32 equal parts, so that a
/// bucket is at most 3 % wide. The unit is 64 ns. The last bucket takes everything from 73 minutes on.
///
/// The meter is plain memory, which its owner frees: counting references to it would cost each turn more than
/// reading the clock does.
struct LagMeter {
  static let bucketCount = 1024
  private static let unitBits: UInt64 = 6
  private static let partBits: UInt64 = 5

  private struct State {
    var count: UInt64 = 0
    var sum: UInt64 = 0
    var longest: UInt64 = 0
    /// When the measurement began, and the turn that is running.
    var since = uv_hrtime()
    var start = uv_hrtime()
  }

  private let state: UnsafeMutablePointer<State>
  private let buckets: UnsafeMutablePointer<UInt64>

  init() {
    state = .allocate(capacity: 1)
    state.initialize(to: State())
    buckets = .allocate(capacity: Self.bucketCount)
    buckets.initialize(repeating: 0, count: Self.bucketCount)
  }

  func deallocate() {
    state.deallocate()
    buckets.deallocate()
  }

  /// A turn begins now.
  func begin() { state.pointee.start = uv_hrtime() }

  /// A turn has begun when libuv updated its time, or a little later. On a host's loop, callbacks of the host
  /// may have come before this one. libuv's time may be up to 2 ms old when it is new.
  func begin(since milliseconds: UInt64) {
    let now = uv_hrtime()
    state.pointee.start = now / 1_000_000 > milliseconds &+ 2 ? (milliseconds + 2) * 1_000_000 : now
  }

  /// The turn ends now.
  func end() {
    let now = uv_hrtime()
    let start = state.pointee.start
    let length = now > start ? now - start : 0
    buckets[Self.index(of: length)] &+= 1
    state.pointee.count &+= 1
    state.pointee.sum &+= length
    if length > state.pointee.longest { state.pointee.longest = length }
  }

  /// The measurements so far.
  var value: LoopLag {
    LoopLag(
      buckets: Array(UnsafeBufferPointer(start: buckets, count: Self.bucketCount)),
      count: state.pointee.count,
      sum: state.pointee.sum, longest: state.pointee.longest, elapsed: uv_hrtime() - state.pointee.since)
  }

  func reset() {
    buckets.update(repeating: 0, count: Self.bucketCount)
    let start = state.pointee.start
    state.pointee = State()
    state.pointee.start = start
  }

  /// The bucket of a length in nanoseconds.
  @inline(__always)
  static func index(of length: UInt64) -> Int {
    let units = length >> unitBits
    if units < 1 << partBits { return Int(truncatingIfNeeded: units) }
    let exponent = 63 - UInt64(truncatingIfNeeded: units.leadingZeroBitCount)
    let part = (units >> (exponent - partBits)) & 31
    return min(Int(truncatingIfNeeded: (exponent - partBits + 1) << partBits + part), bucketCount - 1)
  }

  /// The shortest length of a bucket in nanoseconds.
  static func lowerBound(of index: Int) -> UInt64 {
    let (group, part) = (UInt64(index) >> partBits, UInt64(index) & 31)
    return (group == 0 ? part : (32 + part) << (group - 1)) << unitBits
  }
}
