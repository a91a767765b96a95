import CUV

/// The memory that a loop's UDP sockets receive into. Datagrams are copied out of it, because most are small
/// but the buffer has to be large. One buffer serves all sockets, because libuv always receives right after
/// it has asked for memory.
final class DatagramBuffer {
  /// The size of the largest possible datagram, rounded up. libuv gives each datagram of a batch this much.
  private static let room = 65536
  /// How many datagrams libuv receives in one system call.
  private static let batch = 20

  private var memory: UnsafeMutableRawPointer?
  private var capacity = 0

  func reserve(_ buffer: UnsafeMutablePointer<uv_buf_t>, isBatch: Bool) {
    let needed = isBatch ? Self.room * Self.batch : Self.room
    if capacity < needed {
      memory?.deallocate()
      memory = .allocate(byteCount: needed, alignment: 16)
      capacity = needed
    }
    cuv_buf_set(buffer, memory, needed)
  }

  deinit { memory?.deallocate() }
}
