import CUV

/// Offers the system writes without waiting, and notes which of them it has taken.
extension PendingWrites {
  /// How many buffers the system takes in one call. libuv leaves the others for a later turn.
  static let buffersPerCall = 1024

  /// Offers the system everything that waits, because nothing will be offered afterwards.
  ///
  /// - Returns: 0 if the system has taken everything, otherwise libuv's code that says why not.
  mutating func offerQueued(to stream: UnsafeMutablePointer<uv_stream_t>) -> Int32 {
    var (taken, code): (Int, Int32) = (start, 0)
    while code == 0, taken < queued.count {
      code = Self.offer(&queued, from: &taken, to: stream, &begun).code
    }
    return code
  }

  /// Offers the system the writes that libuv is about to get, as long as they are more than one call carries.
  ///
  /// - Parameter mayGoOn: Called after each call of the system with the number of bytes that it has taken. If
  ///   it returns false, libuv gets the rest, and the loop's others their turn.
  /// - Returns: How many writes of `inFlight` the system has taken, counted from the first, and libuv's code
  ///   if it failed.
  mutating func offerInFlight(
    to stream: UnsafeMutablePointer<uv_stream_t>, _ mayGoOn: (_ byteCount: Int) -> Bool
  ) -> (taken: Int, code: Int32) {
    var (taken, code, isWanted): (Int, Int32, Bool) = (0, 0, true)
    while code == 0, isWanted, inFlight.count - taken > Self.buffersPerCall {
      let offer = Self.offer(&inFlight, from: &taken, to: stream, &begun)
      code = offer.code
      isWanted = mayGoOn(offer.byteCount)
    }
    return (taken, code == UV_EAGAIN.rawValue ? 0 : code)
  }

  /// Notes how much the system has taken of the writes that libuv got. `rest` bytes of them are left.
  ///
  /// - Returns: Whether the system has taken all of them.
  mutating func noteInFlight(rest: Int) -> Bool {
    // Bytes that bypass the queue end by themselves.
    if isHeld { return false }
    var taken = inFlight.reduce(-rest) { $0 + ($1.outcome == nil ? $1.bytes.count : 0) }
    for index in inFlight.indices where inFlight[index].outcome == nil {
      taken -= inFlight[index].bytes.count
      if taken < 0 { return false }
      inFlight[index].outcome = 0
    }
    return true
  }

  /// Offers the system what one call carries, from `index` on, and moves `index` past the writes that it has
  /// taken.
  ///
  /// - Parameter begun: Becomes the number of the last write that the system has taken bytes from.
  /// - Returns: How many bytes the system has taken. The code is 0 if that is all of them, `EAGAIN` if it has
  ///   no room for more, or another one.
  static func offer(
    _ entries: inout [PendingWrite], from index: inout Int, to stream: UnsafeMutablePointer<uv_stream_t>,
    _ begun: inout UInt
  ) -> (byteCount: Int, code: Int32) {
    let handle = entries[index].handle
    if let handle, handle.isClosing {
      entries[index].outcome = UV_EBADF.rawValue
      index += 1
      return (0, 0)
    }
    var end = index + 1
    if handle == nil {
      let limit = min(index + buffersPerCall, entries.count)
      while end < limit, entries[end].handle == nil { end += 1 }
    }
    let byteCount = withBuffers(entries[index..<end]) {
      Int(uv_try_write2(stream, $0, $1, handle.map { cuv_stream($0.block.raw) }))
    }
    if byteCount < 0 { return (0, Int32(byteCount)) }
    var taken = byteCount
    while index < end, entries[index].bytes.count <= taken {
      taken -= entries[index].bytes.count
      entries[index].outcome = 0
      begun = entries[index].generation
      index += 1
    }
    if index == end { return (byteCount, 0) }
    entries[index].bytes = entries[index].bytes.dropping(taken)
    if taken > 0 { begun = entries[index].generation }
    return (byteCount, UV_EAGAIN.rawValue)
  }

  /// Calls `body` with libuv's form of the bytes of `entries`. Empty buffers are left out, except one if
  /// there is nothing else: libuv writes those behind the last byte on their own, once there is room again,
  /// and tells nobody before that.
  static func withBuffers<T>(
    _ entries: ArraySlice<PendingWrite>, _ body: (UnsafePointer<uv_buf_t>, UInt32) -> T
  ) -> T {
    withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: entries.count) { buffers in
      var next = buffers.baseAddress!
      for entry in entries where entry.bytes.count > 0 {
        cuv_buf_set(next, entry.bytes.start, entry.bytes.count)
        next += 1
      }
      if next == buffers.baseAddress! {
        cuv_buf_set(next, Bytes().start, 0)
        next += 1
      }
      let count = UInt32(next - buffers.baseAddress!)
      return withExtendedLifetime(entries) { body(buffers.baseAddress!, count) }
    }
  }
}
