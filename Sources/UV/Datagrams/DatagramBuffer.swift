import CUV

/// The memory that a loop's UDP sockets receive into. A datagram is copied out of it, as most are small and the
/// room for one has to be large; so one buffer serves all: libuv pairs each allocation with its callbacks.
final class DatagramBuffer {
  /// The largest datagram that there is, rounded up; libuv gives each of a batch as much.
  private static let room = 65536
  /// As many as libuv receives in one system call.
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
