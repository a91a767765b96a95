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
    isInPlace = $0.unmanagedFrames?._withUnsafeGuaranteedRef { $0.reserve(buffer!) } ?? false
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
  /// Handles the end of the stream, or an error.
  private func endReading(_ code: Int) {
    uv_read_stop(stream)
    let isEnd = code == Int(UV_EOF.rawValue)
    // libuv reads on as if there had been no end.
    if isEnd, hasUnreadBytes, uv_read_start(stream, allocateForRead, didRead) == 0 { return }
    let error = isEnd ? nil : failure(code, "read")
    endReading(frames?.filter?.transportEnded(error) ?? error)
  }

  /// Ends the stream's source, after what came before.
  func endReading(_ error: UVError?) {
    frames?.deliverToHandler()
    source.finish(error)
    letGo(.source)
  }

  @inline(__always)
  private func deliver(_ count: Int) {
    guard let frames else { return source.deliver(loop.readBuffer.take(count)) }
    if let filter = frames.filter { receive(count, through: filter, frames) } else { deliver(count, frames) }
  }

  /// Delivers bytes that have been read to where they were to go.
  func deliver(_ count: Int, _ frames: FrameReads) {
    let bytes = frames.didRead(count)
    // A handler may have stopped when it was told of what came before.
    if source.hasDemand { source.deliver(bytes) } else { frames.keep(bytes) }
  }

  /// Hands over what was written in answer to what was read. A reader that waited for that can then ask again before the
  /// stream pauses.
  private func endDelivering() {
    writesIfAny { writes in
      if writes.isScheduled { loop.callback { writes.endDelivering() } } else { writes.isDelivering = false }
    }
  }

  @inline(__always)
  fileprivate func finishRead(_ count: Int) {
    keepAlive(.callback)
    if count > 0 {
      loop.microtasks.state.pointee.counts.bytesRead &+= count
      block.withSidecar { $0.noteRead() }
    }
    writesIfAny { if $0.isFiltered { $0.isDelivering = true } }
    loop.callback { if count > 0 { deliver(count) } else { endReading(count) } }
    if isFiltered { endDelivering() }
    // This comes last, so that a reader that was resumed has had the time to ask again.
    if count > 0 { source.pauseIfUnwanted() }
    if block.header.pointee.activity.contains(.filterEnding) { stopReadingForFilter() }
    letGo(.callback)
  }
}
