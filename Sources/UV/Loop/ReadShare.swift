/// How much the stream that reads at present has read in this turn without coming to the end of what its peer
/// has sent.
///
/// libuv lets a stream fill its buffer 32 times before the next stream has its turn. With a buffer of 64 KiB,
/// one peer that sends without a pause makes all others wait for two milliseconds each time.
struct ReadShare {
  /// How many bytes a stream reads in a turn when its peer goes on sending.
  static let limit = 128 << 10

  private var reader: UnsafeRawPointer?
  private var count = 0
  /// Distinguishes one turn from another: the loop has polled if it has changed.
  private(set) var turn: UInt32 = 0

  /// Notes that `handle` has filled a buffer of `size` bytes.
  @inline(__always)
  mutating func noteFullRead(by handle: UnsafeRawPointer, _ size: Int) {
    count = handle == reader ? count &+ size : size
    reader = handle
  }

  /// How many bytes `handle` may still read in this turn.
  @inline(__always)
  func rest(of handle: UnsafeRawPointer) -> Int { handle == reader ? Self.limit &- count : Self.limit }

  /// Begins a turn.
  @inline(__always)
  mutating func renew() {
    reader = nil
    turn &+= 1
  }
}
