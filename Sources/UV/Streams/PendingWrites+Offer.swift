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
  /// and notifies nobody before that.
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

/// Seals writes right before the system is offered them.
extension PendingWrites {
  /// How many bytes are sealed before the system is asked for room again. A large write isn't held twice.
  static let bytesPerOffer = 65536
  /// How many bytes one record of TLS carries.
  static let bytesPerRecord = 16384

  /// Notes that bytes were sealed, and that the system hasn't taken all that they have become.
  mutating func standForSealedBytes() {
    beginWrite()
    inFlight = [PendingWrite(bytes: Bytes(), waiter: .none, generation: generation)]
  }

  /// Moves the first writes to `inFlight` and seals them. The first entry stands for all of the filter's
  /// output.
  ///
  /// - Returns: Why the filter can't seal them.
  mutating func send(sealedBy filter: any StreamFilter) -> UVError? {
    if !queued.isEmpty { moveToSeal(upTo: Self.bytesPerOffer) }
    return Self.seal(inFlight, by: filter)
  }

  /// Has the first entry stand for the rest of what all have become.
  mutating func keepSealed(_ rest: Bytes) {
    for index in inFlight.indices { inFlight[index].bytes = index == 0 ? rest : Bytes() }
    inFlightByteCount = rest.count
  }

  /// Takes out all writes that were sealed, and reports each. An array of one, the usual case, keeps its
  /// memory.
  mutating func endInFlight(_ notify: (PendingWrite.Waiter) -> Void) {
    if inFlight.count == 1 { return notify(inFlight.removeLast().waiter) }
    for entry in takeInFlight() { notify(entry.waiter) }
  }

  /// Seals bytes in records that are as full as can be. Small writes are put together first, because OpenSSL
  /// makes a record of each call.
  private static func seal(_ entries: [PendingWrite], by filter: any StreamFilter) -> UVError? {
    if entries.count == 1 { return entries[0].bytes.withUnsafeBytes { seal($0, by: filter) } }
    return withUnsafeTemporaryAllocation(byteCount: bytesPerRecord, alignment: 16) { record in
      var count = 0
      for entry in entries {
        let error = entry.bytes.withUnsafeBytes { bytes -> UVError? in
          var rest = bytes[...]
          while !rest.isEmpty {
            // A whole record needs no copy.
            if count == 0, rest.count >= bytesPerRecord {
              let part = rest.prefix(rest.count / bytesPerRecord * bytesPerRecord)
              if let error = seal(UnsafeRawBufferPointer(rebasing: part), by: filter) { return error }
              rest = rest.dropFirst(part.count)
              continue
            }
            let part = rest.prefix(bytesPerRecord - count)
            record.baseAddress!.advanced(by: count).copyMemory(
              from: UnsafeRawBufferPointer(rebasing: part).baseAddress!, byteCount: part.count)
            count += part.count
            rest = rest.dropFirst(part.count)
            if count == bytesPerRecord {
              if let error = seal(UnsafeRawBufferPointer(record), by: filter) { return error }
              count = 0
            }
          }
          return nil
        }
        if let error { return error }
      }
      return seal(UnsafeRawBufferPointer(rebasing: record[..<count]), by: filter)
    }
  }

  private static func seal(_ bytes: UnsafeRawBufferPointer, by filter: any StreamFilter) -> UVError? {
    bytes.isEmpty ? nil : filter.seal(bytes)
  }
}
