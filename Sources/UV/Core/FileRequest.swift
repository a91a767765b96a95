import CUV

/// A file operation on the thread pool.
///
/// The objects are used again, since libuv's request is large. What an answer becomes is told by a `FileAnswer`: a
/// generic class would look its own type up at every step.
final class FileRequest: ActiveRequest {
  /// What is special about an operation.
  enum Kind {
    case ordinary
    /// Goes on until every byte is written.
    case write(descriptor: Int32, offset: Int64?)
    /// Begins again if a signal interrupts it, as libuv has every other operation do.
    case read(descriptor: Int32, offset: Int64?)
    /// Cannot be cancelled: a descriptor that is not closed is lost.
    case close
  }

  let request = UnsafeMutablePointer<uv_fs_t>.allocate(capacity: 1)
  // Loop-confined: exclusivity checks would cost more than the accesses.
  @exclusivity(unchecked) private var operation = ""
  @exclusivity(unchecked) private var kind = Kind.ordinary
  @exclusivity(unchecked) private var file: File?
  /// Memory that the operation reads from or writes to.
  @exclusivity(unchecked) private(set) var bytes: Bytes?
  @exclusivity(unchecked) private var answer: FileAnswer?
  @exclusivity(unchecked) private var isCancelled = false
  /// Distinguishes the uses of the object.
  @exclusivity(unchecked) private var generation: UInt = 1

  override init(loop: EventLoop) {
    super.init(loop: loop)
    cuv_req_set_data(request, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { request.deallocate() }

  // MARK: Starting

  /// Starts an operation through `call`, which passes its arguments on to libuv.
  @inline(__always)
  static func start(
    _ loop: EventLoop, _ operation: String, as kind: Kind = .ordinary, file: File? = nil, bytes: Bytes? = nil,
    _ answer: FileAnswer, _ call: (UnsafeMutablePointer<uv_fs_t>, @escaping uv_fs_cb) -> Int32
  ) -> PendingRequest {
    let request = loop.requests.takeFileRequest(loop)
    request.operation = operation
    request.kind = kind
    request.file = file
    request.bytes = bytes
    request.answer = answer
    return request.submit(
      loop.isClosed ? UVError.Code.loopClosed.rawValue : call(request.request, didFinishFileRequest))
  }

  /// Starts an operation on a path.
  @inline(__always)
  static func start(
    _ loop: EventLoop, _ operation: String, path: some PathConvertible, _ answer: FileAnswer,
    _ call: (UnsafePointer<CChar>, UnsafeMutablePointer<uv_fs_t>, @escaping uv_fs_cb) -> Int32
  ) -> PendingRequest {
    path.withPathBytes { pointer in
      if let pointer { return start(loop, operation, answer) { call(pointer, $0, $1) } }
      let error = UVError(.invalidArgument, operation: operation, subject: "a path with a NUL in it")
      loop.queueMicrotask { answer.fail(error) }
      return PendingRequest()
    }
  }

  private func submit(_ code: Int32) -> PendingRequest {
    if code < 0 {
      let error = failure(code, operation, file?.description)
      let answer = answer.take()!
      loop.queueMicrotask { [self] in
        answer.fail(error)
        recycle()
      }
      return PendingRequest()
    }
    loop.requests.insert(self)
    if holdsFile { file?.beginOperation() }
    return PendingRequest(self, generation: generation)
  }

  /// Whether the operation keeps its file from being closed.
  private var holdsFile: Bool {
    if case .close = kind { return false }
    return true
  }

  override func cancel(slot: UInt, generation: UInt) {
    // A generation of 0 is whichever is under way: the loop shuts down.
    guard generation == 0 || generation == self.generation, !isCancelled, holdsFile, let answer else {
      return
    }
    isCancelled = true
    // One that has begun runs to its end, and its result is released then.
    uv_cancel(cuv_request(request))
    let error = UVError(.cancelled, operation: operation, subject: subject)
    loop.queueMicrotask { answer.fail(error) }
  }

  // MARK: Ending

  fileprivate func finish() {
    if goesOn() { return }
    loop.requests.remove(self)
    let result = request.pointee.result
    let answer = answer.take()!
    // libuv's request may refer to what the answer owns until it is cleaned up.
    withExtendedLifetime(answer) {
      if isCancelled {
        if result >= 0 { answer.release(from: self) }
      } else if result < 0 {
        answer.fail(failure(result, operation, subject))
      } else {
        answer.succeed(from: self)
      }
      uv_fs_req_cleanup(request)
    }
    if holdsFile { file?.endOperation() }
    recycle()
  }

  /// Goes on with a write of which the system has taken only a part, and with a read that it did not begin.
  private func goesOn() -> Bool {
    let result = request.pointee.result
    switch kind {
    case .write(let descriptor, let offset) where result > 0 && result < bytes!.count:
      let rest = offset.map { $0 + Int64(result) }
      bytes = bytes!.dropping(result)
      kind = .write(descriptor: descriptor, offset: rest)
      return begins { Self.write(loop, $0, descriptor, bytes!, rest, $1) }
    case .read(let descriptor, let offset) where result == Int(UV_EINTR.rawValue) && !isCancelled:
      return begins { Self.read(loop, $0, descriptor, bytes!, offset, $1) }
    default:
      return false
    }
  }

  /// Begins the operation once more, with the same request; false if libuv refuses.
  private func begins(_ call: (UnsafeMutablePointer<uv_fs_t>, @escaping uv_fs_cb) -> Int32) -> Bool {
    uv_fs_req_cleanup(request)
    cuv_req_set_data(request, Unmanaged.passUnretained(self).toOpaque())
    let code = call(request, didFinishFileRequest)
    if code == 0 { return true }
    request.pointee.result = Int(code)
    return false
  }

  /// Hands a read into `room` to libuv.
  static func read(
    _ loop: EventLoop, _ request: UnsafeMutablePointer<uv_fs_t>, _ descriptor: Int32, _ room: Bytes,
    _ offset: Int64?, _ done: @escaping uv_fs_cb
  ) -> Int32 {
    var buffer = uv_buf_t()
    cuv_buf_set(&buffer, room.start, room.count)
    return uv_fs_read(loop.raw, request, descriptor, &buffer, 1, offset ?? -1, done)
  }

  /// Hands a write to libuv.
  static func write(
    _ loop: EventLoop, _ request: UnsafeMutablePointer<uv_fs_t>, _ descriptor: Int32, _ bytes: Bytes,
    _ offset: Int64?,
    _ done: @escaping uv_fs_cb
  ) -> Int32 {
    var buffer = uv_buf_t()
    // The system caps one write a little below 2 GiB, and libuv returns its count in 32 bits.
    cuv_buf_set(&buffer, bytes.start, min(bytes.count, 1 << 30))
    return uv_fs_write(loop.raw, request, descriptor, &buffer, 1, offset ?? -1, done)
  }

  /// The path that the operation is about.
  private var subject: String? {
    if let file { return file.description }
    return request.pointee.path.map { String(cString: $0) }
  }

  private func recycle() {
    file = nil
    bytes = nil
    isCancelled = false
    generation &+= 1
    cuv_req_set_data(request, Unmanaged.passUnretained(self).toOpaque())
    loop.requests.putBack(self)
  }
}

private func didFinishFileRequest(_ request: UnsafeMutablePointer<uv_fs_t>?) {
  // Sound: the loop's list of requests owns it meanwhile.
  let operation = Unmanaged<FileRequest>.fromOpaque(cuv_req_data(request!)).takeUnretainedValue()
  let loop = operation.loop
  loop.beginCallback()
  operation.finish()
  loop.endCallback()
}
