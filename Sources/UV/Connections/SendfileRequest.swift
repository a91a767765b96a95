import CUV

/// Bytes on their way from a file to another file or a socket, inside the system.
///
/// The request owns the target's descriptor, which is a duplicate. The target may be closed meanwhile, and
/// the number of its descriptor may be used again.
class SendfileRequest: ActiveRequest {
  let file: File
  let target: Int32
  fileprivate(set) var offset: Int64
  fileprivate(set) var remaining: Int
  fileprivate var sent = 0
  private var done: Completion<Int>?
  /// Called when nothing more is on its way, even after a cancellation. Nil from then on: the caller may keep
  /// the pending request, which keeps this object.
  private var didEnd: (() -> Void)?
  /// Why nobody waits for the end any more, if that isn't a cancellation.
  private var reason: UVError?

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
  }

  override var isOnPool: Bool { true }

  override func awaited(slot: UInt, generation: UInt) -> Awaited? {
    guard isWanted else { return nil }
    return Awaited(operation: "sendfile", subject: "\(file), \(remaining) bytes left")
  }

  override var givenUp: Awaited? {
    isWanted ? nil : Awaited(operation: "sendfile", subject: file.description)
  }

  /// Whether somebody still waits for the end.
  var isWanted: Bool { done != nil }

  override func cancel(slot: UInt, generation: UInt) {
    guard let done = done.take() else { return }
    let error = reason ?? UVError(.cancelled, operation: "fs_sendfile", subject: file.description)
    loop.queueMicrotask { done(.failure(error)) }
    loop.work.givenUp.begin(on: loop)
  }

  /// Cancels the request because its target has closed.
  func abandon(_ error: UVError) {
    reason = error
    cancel(slot: 0, generation: 0)
  }

  func end(_ code: Int32) {
    guard let didEnd = didEnd.take() else { return }
    loop.requests.remove(self)
    file.endOperation()
    _ = CUV.close(target)
    didEnd()
    done.take()?(code < 0 ? .failure(failure(code, "fs_sendfile", file.description)) : .success(sent))
  }
}

/// A request that sends a part of the bytes at a time.
protocol PartSender: SendfileRequest {
  /// Starts to send the next part on the thread pool. Returns a negative code if that isn't possible.
  func submit() -> Int32
}

extension PartSender {
  func start() -> PendingRequest {
    // The loop's list of requests owns it until the end.
    loop.requests.insert(self)
    file.beginOperation()
    step()
    return PendingRequest(self)
  }

  /// Sends the next part.
  fileprivate func step() {
    let code = submit()
    if code < 0 { loop.queueMicrotask { [self] in end(code) } }
  }

  /// Notes that a part has been sent. `result` is its size, or a code.
  fileprivate func didSend(_ result: Int) {
    if result < 0 { return end(Int32(result)) }
    sent += result
    offset += Int64(result)
    remaining -= result
    if result == 0 || remaining == 0 || !isWanted { end(0) } else { step() }
  }
}

/// Copies from a file to a file.
final class FileSendfileRequest: SendfileRequest, PartSender {
  private let request = UnsafeMutablePointer<uv_fs_t>.allocate(capacity: 1)

  deinit { request.deallocate() }

  func submit() -> Int32 {
    cuv_req_set_data(request, Unmanaged.passUnretained(self).toOpaque())
    // The system caps one call a little below 2 GiB, and libuv returns its count in 32 bits.
    let count = min(remaining, 1 << 30)
    return uv_fs_sendfile(loop.raw, request, target, file.descriptor, offset, count, didCopy)
  }

  override func cancel(slot: UInt, generation: UInt) {
    guard isWanted else { return }
    // Work that the pool has begun runs to its end.
    uv_cancel(cuv_request(request))
    super.cancel(slot: slot, generation: generation)
  }

  fileprivate func finish() {
    let result = request.pointee.result
    uv_fs_req_cleanup(request)
    didSend(result)
  }
}

/// Sends from a file to a socket, which may first need to have room.
final class SocketSendfileRequest: SendfileRequest, PartSender {
  private let job = UnsafeMutablePointer<cuv_sendfile_job>.allocate(capacity: 1)
  private var poll: UnsafeMutablePointer<uv_poll_t>?
  private var isAtWork = false
  /// The stream of the socket. Nil after the end: the caller may keep the pending request, which keeps this
  /// object.
  private var stream: ByteStream?

  /// Takes over `target`, a duplicate of the descriptor of `stream`, whose writes are held back.
  init(
    _ file: File, to stream: ByteStream, _ target: Int32, from offset: Int64, count: Int,
    _ done: @escaping Completion<Int>, didEnd: @escaping () -> Void
  ) {
    self.stream = stream
    super.init(file, to: target, from: offset, count: count, done, didEnd: didEnd)
  }

  deinit { job.deallocate() }

  func submit() -> Int32 {
    job.initialize(to: cuv_sendfile_job())
    cuv_req_set_data(job, Unmanaged.passUnretained(self).toOpaque())
    job.pointee.socket = target
    job.pointee.file = file.descriptor
    job.pointee.offset = offset
    job.pointee.count = remaining
    let isBlocking = cuv_is_blocking(target)
    job.pointee.is_terminal = isBlocking && isatty(target) != 0
    let code = cuv_sendfile_job_queue(loop.raw, job, didSendToSocket)
    isAtWork = code == 0
    // Where the system's call waits for the peer itself, the timeouts count meanwhile.
    if isBlocking { stream?.writes.noteFetched() }
    return code
  }

  override func cancel(slot: UInt, generation: UInt) {
    guard isWanted else { return }
    super.cancel(slot: slot, generation: generation)
    // Work that the pool has begun runs to its end.
    if isAtWork { uv_cancel(cuv_request(job)) }
    // Not from here: the writes that waited for this go on, and may report their end.
    loop.queueMicrotask { [self] in if !isAtWork { end(0) } }
  }

  override func abandon(_ error: UVError) {
    super.abandon(error)
    // A call that blocks waits for the peer, which would keep the thread, and the loop, as long as it likes.
    if isAtWork, cuv_is_blocking(target) { _ = CUV.shutdown(target, Int32(SHUT_WR)) }
  }

  fileprivate func finish(_ code: Int32) {
    isAtWork = false
    let result = code < 0 ? Int(code) : job.pointee.result
    if result > 0 {
      loop.microtasks.state.pointee.counts.bytesWritten &+= result
      stream?.writes.noteProgress()
    }
    guard result == Int(UV_EAGAIN.rawValue), isWanted else { return didSend(result) }
    // To make a terminal nonblocking would change it for all that share it. The pool waits for it.
    if job.pointee.is_terminal { step() } else { waitUntilWritable() }
  }

  private func waitUntilWritable() {
    if poll == nil {
      let handle = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
      let code = uv_poll_init(loop.raw, handle, target)
      if code < 0 {
        handle.deallocate()
        return end(code)
      }
      cuv_handle_set_data(handle, Unmanaged.passUnretained(self).toOpaque())
      poll = handle
    }
    let code = uv_poll_start(poll, Int32(UV_WRITABLE.rawValue), canSendMore)
    if code < 0 { end(code) } else { stream?.writes.noteFetched() }
  }

  fileprivate func becameWritable() {
    uv_poll_stop(poll)
    guard isWanted else { return end(0) }
    stream?.writes.beginFetching()
    step()
  }

  override func end(_ code: Int32) {
    if let handle = poll.take() {
      cuv_handle_set_data(handle, Unmanaged.passUnretained(loop).toOpaque())
      closeInternal(handle, of: loop)
    }
    stream = nil
    super.end(code)
  }
}

// Sound in all of these: the loop's list of requests owns it meanwhile.
private func didCopy(_ request: UnsafeMutablePointer<uv_fs_t>?) {
  let sendfile = activeRequest(of: cuv_req_data(request!), as: FileSendfileRequest.self)
  let loop = sendfile.loop
  loop.callback { sendfile.finish() }
}

private func didSendToSocket(_ work: UnsafeMutablePointer<uv_work_t>?, _ code: Int32) {
  let sendfile = activeRequest(of: cuv_req_data(work!), as: SocketSendfileRequest.self)
  let loop = sendfile.loop
  loop.callback { sendfile.finish(code) }
}

private func canSendMore(_ handle: UnsafeMutablePointer<uv_poll_t>?, _: Int32, _: Int32) {
  let sendfile = Unmanaged<SocketSendfileRequest>.fromOpaque(cuv_handle_data(handle!)).takeUnretainedValue()
  let loop = sendfile.loop
  loop.callback { sendfile.becameWritable() }
}
