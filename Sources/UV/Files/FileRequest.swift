import CUV

/// A file operation on the thread pool.
///
/// The frequent operations go through the loop's `FileQueue`; the others go to libuv one by one. The objects
/// are used again, because libuv's request is large. A `FileAnswer` turns the answer into a value. A generic
/// class would look its own type up at every step.
final class FileRequest: ActiveRequest {
  /// When a file was last read, and changed.
  typealias Times = (access: uv_timespec_t, modification: uv_timespec_t)

  /// libuv's request, and the arguments of a call that waits in the queue.
  let call = FileQueue.Operation.allocate(capacity: 1)
  // The loop's list of requests, kept here so that an operation doesn't go through the loop. The loop clears
  // the list when it ends.
  private let requests: RequestList
  private let queue: FileQueue
  @exclusivity(unchecked) private var operation: StaticString = ""
  @exclusivity(unchecked) private var file: File?
  /// Memory that the operation reads from or writes to.
  @exclusivity(unchecked) private(set) var bytes: Bytes?
  /// Several buffers, in place of `bytes`.
  @exclusivity(unchecked) private(set) var vector: FileVector?
  @exclusivity(unchecked) private var answer: FileAnswer?
  @exclusivity(unchecked) private var isQueued = false
  /// False for a close, which can't be cancelled: a descriptor that isn't closed is lost.
  @exclusivity(unchecked) private var isCancellable = true
  @exclusivity(unchecked) private var isCancelled = false
  /// Distinguishes the uses of the object.
  @exclusivity(unchecked) private var generation: UInt = 1

  override init(loop: borrowing EventLoop) {
    requests = loop.requests
    queue = loop.fileQueue
    super.init(loop: loop)
    call.initialize(to: cuv_file_operation())
    cuv_req_set_data(call, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { call.deallocate() }

  var request: UnsafeMutablePointer<uv_fs_t> {
    UnsafeMutableRawPointer(call).assumingMemoryBound(to: uv_fs_t.self)
  }

  // MARK: Starting

  /// Starts an operation through `call`, which passes its arguments on to libuv.
  @inline(__always)
  static func start(
    _ loop: EventLoop, _ operation: StaticString, isCancellable: Bool = true, file: File? = nil,
    _ answer: FileAnswer, _ call: (UnsafeMutablePointer<uv_fs_t>, @escaping uv_fs_cb) -> Int32
  ) -> PendingRequest {
    take(loop)._withUnsafeGuaranteedRef { request in
      request.begin(operation, answer)
      request.file = file
      request.isQueued = false
      request.isCancellable = isCancellable
      return request.submit(
        loop.isClosed ? UVError.Code.loopClosed.rawValue : call(request.request, didFinishFileRequest))
    }
  }

  /// Starts an operation on a path.
  @inline(__always)
  static func start(
    _ loop: EventLoop, _ operation: StaticString, path: some PathConvertible, _ answer: FileAnswer,
    _ call: (UnsafePointer<CChar>, UnsafeMutablePointer<uv_fs_t>, @escaping uv_fs_cb) -> Int32
  ) -> PendingRequest {
    path.withPathBytes { pointer in
      guard let pointer else { return refusePath(loop, operation, answer) }
      return start(loop, operation, answer) { call(pointer, $0, $1) }
    }
  }

  /// Queues an operation on an open file.
  ///
  /// - Parameters:
  ///   - bytes: What to write, or the room for what is read; nil for other calls.
  ///   - offset: Where in the file, or -1 for the file's own position.
  @inline(__always)
  static func queue(
    _ call: cuv_file_call, _ operation: StaticString, on file: File, bytes: Bytes? = nil, offset: Int64 = -1,
    times: Times? = nil, _ answer: FileAnswer
  ) -> PendingRequest {
    take(file.loop)._withUnsafeGuaranteedRef { request in
      request.begin(operation, answer)
      request.isCancellable = call != CUV_FILE_CLOSE
      if request.isCancellable { request.file = file }
      request.call.pointee.file = file.descriptor
      if let bytes {
        request.setBytes(bytes)
        request.call.pointee.offset = offset
      }
      if let times { request.call.pointee.times = times }
      return request.enqueue(call)
    }
  }

  /// Queues a read into several buffers, or a write of them.
  static func queue(
    _ call: cuv_file_call, _ operation: StaticString, on file: File, _ vector: FileVector, offset: Int64,
    _ answer: FileAnswer
  ) -> PendingRequest {
    take(file.loop)._withUnsafeGuaranteedRef { request in
      request.begin(operation, answer)
      request.isCancellable = true
      request.file = file
      request.call.pointee.file = file.descriptor
      request.call.pointee.offset = offset
      request.vector = vector
      (request.call.pointee.buffers, request.call.pointee.buffer_count) = vector.list
      return request.enqueue(call)
    }
  }

  /// Queues an operation on a path.
  @inline(__always)
  static func queue(
    _ call: cuv_file_call, _ loop: EventLoop, _ operation: StaticString, path: UnsafePointer<CChar>?,
    flags: Int32 = 0, mode: Int32 = 0, times: Times? = nil, _ answer: FileAnswer
  ) -> PendingRequest {
    guard let path else { return refusePath(loop, operation, answer) }
    return take(loop)._withUnsafeGuaranteedRef { request in
      request.begin(operation, answer)
      request.isCancellable = true
      request.call.pointee.flags = flags
      request.call.pointee.mode = mode
      if let times { request.call.pointee.times = times }
      return request.enqueue(call, cuv_file_set_path(request.call, path))
    }
  }

  /// An object for one operation. The loop's list of requests has one reference to it from here on, whether it
  /// is used or unused, so that its way in and out of the list counts none.
  @inline(__always)
  private static func take(_ loop: EventLoop) -> Unmanaged<FileRequest> {
    // Here, and not only where the list is asked: by then libuv may be at work on it.
    loop.requireOnLoop("a file operation of an event loop")
    // Balanced where the list doesn't keep it, and in `fail`.
    guard let unused = loop.requests.unusedFiles.take() else { return .passRetained(FileRequest(loop: loop)) }
    // Sound: only file requests are put back there.
    return .fromOpaque(unused.toOpaque())
  }

  @inline(__always)
  private func begin(_ operation: StaticString, _ answer: FileAnswer) {
    self.operation = operation
    self.answer = answer
  }

  @inline(never)
  private static func refusePath(_ loop: EventLoop, _ operation: StaticString, _ answer: FileAnswer)
    -> PendingRequest
  {
    let error = UVError(
      .invalidArgument, operation: operation.description, subject: "a path with a NUL in it")
    loop.answer { answer.fail(error) }
    return PendingRequest()
  }

  private func enqueue(_ call: cuv_file_call, _ code: Int32 = 0) -> PendingRequest {
    self.call.pointee.call = call
    isQueued = true
    let code = loop.isClosed ? UVError.Code.loopClosed.rawValue : code
    if code == 0 { queue.append(self.call) }
    return submit(code)
  }

  /// The system caps one transfer a little below 2 GiB, and libuv returns its count in 32 bits.
  private func setBytes(_ bytes: Bytes) {
    self.bytes = bytes
    cuv_buf_set(&call.pointee.buffer, bytes.start, min(bytes.count, 1 << 30))
  }

  private func submit(_ code: Int32) -> PendingRequest {
    if code < 0 {
      fail(code)
      return PendingRequest()
    }
    requests.insertRetained(.passUnretained(self))
    file?.beginOperation()
    return PendingRequest(self, generation: generation)
  }

  @inline(never)
  private func fail(_ code: Int32) {
    let error = failure(code, operation.description, file?.description)
    let answer = answer.take()!
    let putBack = { [self] in
      file = nil
      recycle()
      requests.unusedFiles.putBack(.passRetained(self))
    }
    let isAnswered = loop.answer {
      answer.fail(error)
      putBack()
    }
    if !isAnswered { putBack() }
    // Balances `take`: `putBack` has the object, or had it.
    Unmanaged.passUnretained(self).release()
  }

  override func cancel(slot: UInt, generation: UInt) {
    // A generation of 0 means whichever use is under way; a loop that shuts down passes it.
    guard generation == 0 || generation == self.generation, isCancellable, !isCancelled, let answer else {
      return
    }
    isCancelled = true
    // An operation that has begun runs to its end, and its result is released then.
    let isTakenBack = isQueued ? queue.cancel(call) : uv_cancel(cuv_request(call)) == 0
    if !isTakenBack { loop.work.givenUp.begin(on: loop) }
    let error = UVError(.cancelled, operation: operation.description, subject: subject)
    loop.queueMicrotask { answer.fail(error) }
  }

  override var isOnPool: Bool { true }

  override var givenUp: Awaited? { isCancelled ? awaited(slot: 0, generation: 0) : nil }

  override func awaited(slot: UInt, generation: UInt) -> Awaited? {
    guard generation == 0 || generation == self.generation, answer != nil else { return nil }
    return Awaited(operation: operation.description, subject: subject)
  }

  // MARK: Ending

  /// Reports the answer, on the loop. Returns whether that was the end; the caller then puts the object back.
  func finish() -> Bool {
    if goesOn() { return false }
    if !isQueued { countTime() }
    requests.removeRetained(self)
    let result = request.pointee.result
    let answer = answer.take()!
    if isCancelled {
      if result >= 0 { answer.release(from: self) }
      recycle()
    } else if result < 0 {
      let error = failure(result, operation.description, subject)
      recycle()
      answer.fail(error)
    } else {
      // libuv's request may refer to memory that the answer owns, until it is cleaned up. It is cleaned up
      // before the caller gets the answer, because the caller may start another operation with this object.
      answer.succeed(from: self)
    }
    return true
  }

  /// Continues a write that the system has taken only in part, and a read that a signal has interrupted.
  /// libuv itself repeats every other interrupted operation.
  @inline(__always)
  private func goesOn() -> Bool {
    guard isQueued else { return false }
    let result = request.pointee.result
    if call.pointee.call == CUV_FILE_WRITE, result > 0 {
      guard dropWritten(result) else { return false }
      if call.pointee.offset >= 0 { call.pointee.offset += Int64(result) }
    } else if call.pointee.call != CUV_FILE_READ || result != Int(UV_EINTR.rawValue) || isCancelled {
      return false
    }
    uv_fs_req_cleanup(request)
    queue.append(call)
    return true
  }

  /// Moves on to the rest of a write; false if nothing is left.
  private func dropWritten(_ count: Int) -> Bool {
    if let vector {
      guard vector.advance(by: count) else { return false }
      (call.pointee.buffers, call.pointee.buffer_count) = vector.list
    } else {
      guard count < bytes!.count else { return false }
      setBytes(bytes!.dropping(count))
    }
    return true
  }

  /// The path that the operation is about, or both of an operation that has two.
  private var subject: String? {
    if let file { return file.description }
    // A thread may be writing the path of libuv's own request, if it works on the queue.
    guard !isQueued else { return call.pointee.path.map { String(cString: $0) } }
    guard let path = request.pointee.path.map({ String(cString: $0) }) else { return nil }
    switch request.pointee.fs_type {
    // Either may be the one that is missing.
    case UV_FS_RENAME, UV_FS_LINK: return "\(path) -> \(String(cString: request.pointee.new_path))"
    // The link that is made stands first, as in a listing.
    case UV_FS_SYMLINK: return "\(String(cString: request.pointee.new_path)) -> \(path)"
    default: return path
    }
  }

  /// Releases what the operation used.
  func recycle() {
    cuv_file_cleanup(call)
    if let file = file.take() { file.endOperation() }
    bytes = nil
    if vector != nil {
      vector = nil
      call.pointee.buffers = nil
    }
    isCancelled = false
    generation &+= 1
  }
}

private func didFinishFileRequest(_ request: UnsafeMutablePointer<uv_fs_t>?) {
  // Sound: the loop's list of requests owns it meanwhile.
  let operation = activeRequest(of: cuv_req_data(request!), as: FileRequest.self)
  let loop = operation.loop
  loop.callback {
    if operation.finish() { loop.requests.unusedFiles.putBack(.passUnretained(operation)) }
  }
}
