import CUV

/// Bytes on their way from a file to another descriptor, inside the system.
///
/// The descriptor is the request's own, a duplicate: whatever the target belongs to may be closed meanwhile, and
/// its number be given to something else.
final class SendfileRequest: ActiveRequest {
  private let request = UnsafeMutablePointer<uv_fs_t>.allocate(capacity: 1)
  private let file: File
  private let target: Int32
  private var offset: Int64
  private var remaining: Int
  private var sent = 0
  private var done: Completion<Int>?
  /// Called when nothing more is on its way, also after a cancellation.
  private let didEnd: () -> Void
  /// Waits until a socket takes more.
  private var poll: UnsafeMutablePointer<uv_poll_t>?
  private var isOnPool = false
  private var isEnded = false

  /// Takes over `target`.
  init(
    _ file: File, to target: Int32, from offset: Int64, count: Int, _ done: @escaping Completion<Int>,
    didEnd: @escaping () -> Void
  ) {
    self.file = file
    self.target = target
    self.offset = offset
    remaining = count
    self.done = done
    self.didEnd = didEnd
    super.init(loop: file.loop)
    cuv_req_set_data(request, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    request.deallocate()
    _ = CUV.close(target)
  }

  func start() -> PendingRequest {
    // The loop's list of requests owns it until the end.
    loop.requests.insert(self)
    file.beginOperation()
    step()
    return PendingRequest(self)
  }

  private func step() {
    // The system caps one call a little below 2 GiB, and libuv returns its count in 32 bits.
    let count = min(remaining, 1 << 30)
    let code = uv_fs_sendfile(loop.raw, request, target, file.descriptor, offset, count, didSendfile)
    isOnPool = code == 0
    if code < 0 { loop.queueMicrotask { [self] in end(code) } }
  }

  fileprivate func didSend() {
    isOnPool = false
    let result = request.pointee.result
    uv_fs_req_cleanup(request)
    cuv_req_set_data(request, Unmanaged.passUnretained(self).toOpaque())
    if result == Int(UV_EAGAIN.rawValue), done != nil { return waitUntilWritable() }
    if result < 0 { return end(Int32(result)) }
    sent += result
    offset += Int64(result)
    remaining -= result
    if result == 0 || remaining == 0 || done == nil { end(0) } else { step() }
  }

  private func waitUntilWritable() {
    if poll == nil {
      let handle = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
      let code = uv_poll_init(loop.raw, handle, target)
      if code < 0 {
        handle.deallocate()
        return end(code)
      }
      poll = handle
    }
    cuv_handle_set_data(poll, Unmanaged.passUnretained(self).toOpaque())
    let code = uv_poll_start(poll, Int32(UV_WRITABLE.rawValue), canSendMore)
    if code < 0 { end(code) }
  }

  fileprivate func becameWritable() {
    uv_poll_stop(poll)
    step()
  }

  override func cancel(slot: UInt, generation: UInt) {
    guard let done = done.take() else { return }
    let error = UVError(.cancelled, operation: "fs_sendfile", subject: file.description)
    loop.queueMicrotask { done(.failure(error)) }
    // What the pool has begun runs to its end.
    if isOnPool { uv_cancel(cuv_request(request)) } else if poll != nil { end(0) }
  }

  private func end(_ code: Int32) {
    guard !isEnded else { return }
    isEnded = true
    if let handle = poll.take() {
      cuv_handle_set_data(handle, Unmanaged.passUnretained(loop).toOpaque())
      closeInternal(handle, of: loop)
    }
    loop.requests.remove(self)
    file.endOperation()
    didEnd()
    guard let done = done.take() else { return }
    done(code < 0 ? .failure(failure(code, "fs_sendfile", file.description)) : .success(sent))
  }
}

// Sound, both: the loop's list of requests owns it meanwhile.
private func didSendfile(_ request: UnsafeMutablePointer<uv_fs_t>?) {
  let sendfile = Unmanaged<SendfileRequest>.fromOpaque(cuv_req_data(request!)).takeUnretainedValue()
  let loop = sendfile.loop
  loop.beginCallback()
  sendfile.didSend()
  loop.endCallback()
}

private func canSendMore(_ handle: UnsafeMutablePointer<uv_poll_t>?, _: Int32, _: Int32) {
  let sendfile = Unmanaged<SendfileRequest>.fromOpaque(cuv_handle_data(handle!)).takeUnretainedValue()
  let loop = sendfile.loop
  loop.beginCallback()
  sendfile.becameWritable()
  loop.endCallback()
}
