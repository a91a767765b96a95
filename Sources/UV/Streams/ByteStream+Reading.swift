import CUV

func allocateForRead(
  _ handle: UnsafeMutablePointer<uv_handle_t>?, _: Int, _ buffer: UnsafeMutablePointer<uv_buf_t>?
) {
  var isUsedUp = false
  withLoop(of: handle!) { isUsedUp = $0.microtasks.state.pointee.readShare.isUsedUp(by: handle!) }
  // Without memory, libuv goes on to the next stream. It asks again in the next turn.
  if isUsedUp { return cuv_buf_set(buffer, nil, 0) }
  var isInPlace = false
  withOwner(of: handle!, as: ByteStream.self) {
    isInPlace = $0.isFiltered ? $0.reserveForFilter(buffer!) : $0.reserveForReader(buffer!)
  }
  if !isInPlace { return withLoop(of: handle!) { $0.readBuffer.reserve(buffer!) } }
  // A reader's own memory may be larger than a share.
  buffer!.pointee.len = min(buffer!.pointee.len, ReadShare.limit)
}

func didRead(
  _ handle: UnsafeMutablePointer<uv_stream_t>?, _ count: Int, _ buffer: UnsafePointer<uv_buf_t>?
) {
  // Zero means that nothing has come yet. It isn't the end.
  if count == 0 { return }
  let size = buffer!.pointee.len
  // The stream got no memory because it has had its share.
  if size == 0, count == Int(UV_ENOBUFS.rawValue) { return }
  if count == size {
    withLoop(of: cuv_handle(handle!)) {
      $0.microtasks.state.pointee.readShare.noteFullRead(by: handle!, count)
    }
  }
  // The stream retains itself meanwhile, even if a handler stops it: see `finishRead`.
  withOwner(of: handle!, as: ByteStream.self) { $0.finishRead(count) }
}

extension ByteStream {
  /// Has bytes come into the memory of the filter.
  @inline(never)
  fileprivate func reserveForFilter(_ buffer: UnsafeMutablePointer<uv_buf_t>) -> Bool {
    guard let memory = filter?.reserve() else { return false }
    cuv_buf_set(buffer, memory.baseAddress!, memory.count)
    return true
  }

  /// Has bytes come into the memory of the frame that a reader waits for; false if they should come to the
  /// shared memory.
  @inline(__always)
  func reserveForReader(_ buffer: UnsafeMutablePointer<uv_buf_t>) -> Bool {
    readsIfAny { $0.reserve(buffer) } ?? false
  }

  /// Handles the end of the stream, or an error.
  func endReading(_ code: Int) {
    uv_read_stop(stream)
    let isEnd = code == Int(UV_EOF.rawValue)
    // libuv reads on as if there had been no end.
    if isEnd, hasUnreadBytes, uv_read_start(stream, allocateForRead, didRead) == 0 { return }
    let error = isEnd ? nil : failure(code, "read")
    endReading(filter?.transportEnded(error) ?? error)
  }

  /// Ends the stream's source, after what came before.
  func endReading(_ error: UVError?) {
    if readsIfAny({ $0.end(error) }) == nil { source.finish(error) }
    letGo(.source)
  }

  /// Delivers bytes that have been read to where they were to come.
  func deliver(_ count: Int) {
    if readsIfAny({ $0.didRead(count) }) == nil { deliver(loop.readBuffer.take(count)) }
  }

  /// Delivers bytes to whoever asks, or keeps them for whoever asks next.
  func deliver(_ bytes: Bytes) {
    if unmanagedReads == nil, source.hasDemand { source.deliver(bytes) } else { reads.take(bytes) }
  }

  /// Gives back bytes that were read last, for whoever reads next. Nobody waits for bytes, and nothing else
  /// is unread.
  package func unread(_ bytes: Bytes) {
    loop.assertOnLoop()
    assert(unreadByteCount == 0 && !source.hasDemand, "bytes are given back out of their order")
    if !bytes.isEmpty { reads.take(bytes) }
  }

  /// Pauses if nobody needs more by the end of the callback that has read.
  @inline(__always)
  func pauseIfUnwanted() {
    if readsIfAny({ $0.pauseIfUnwanted() }) == nil { source.pauseIfUnwanted() }
  }

  @inline(__always)
  fileprivate func finishRead(_ count: Int) {
    keepAlive(.callback)
    if count > 0 { loop.microtasks.state.pointee.counts.bytesRead &+= count }
    if isFiltered {
      finishFilteredRead(count)
    } else {
      loop.callback {
        if count <= 0 {
          endReading(count)
        } else if unmanagedReads != nil {
          deliver(count)
        } else {
          source.deliver(loop.readBuffer.take(count))
        }
      }
      // This comes last, so that a reader that was resumed has had the time to ask again.
      if count > 0 { pauseIfUnwanted() }
    }
    if count > 0 { block.withSidecar { $0.goOnReading() } }
    letGo(.callback)
  }
}
