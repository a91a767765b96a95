import CUV

/// The standard streams that a loop has opened.
struct StandardStreams {
  private var streams: [Int32: Handle] = [:]
  /// Descriptors that this process has made non-blocking, and shares with others.
  private var borrowed: [Int32] = []

  subscript(descriptor: Int32) -> Handle? {
    get { streams[descriptor] }
    set { streams[descriptor] = newValue }
  }

  /// Notes that a descriptor has to be made blocking again.
  mutating func borrow(_ descriptor: Int32) { borrowed.append(descriptor) }

  /// Forgets a stream that has closed.
  mutating func forget(_ stream: Handle) {
    if streams.isEmpty, borrowed.isEmpty { return }
    streams = streams.filter { $0.value !== stream }
    // Two of them can be one and the same socket.
    if streams.isEmpty { giveBack() }
  }

  private mutating func giveBack() {
    // A descriptor that the program has closed meanwhile has no mode.
    for descriptor in borrowed { try? check(cuv_set_blocking(descriptor), "fcntl") }
    borrowed = []
  }

  /// Drops the streams, which are closing. The loop ends.
  mutating func drop() {
    streams = [:]
    giveBack()
  }
}
