import CUV

/// A file operation on the thread pool.
class FileRequest<Success>: AnyFileRequest {
  private var done: Completion<Success>?
  private let convert: (FileRequest<Success>) -> Success
  /// Memory that the operation reads from or writes to.
  var bytes: Bytes?

  init(
    _ loop: EventLoop, _ operation: String, file: File? = nil, bytes: Bytes? = nil,
    _ convert: @escaping (FileRequest<Success>) -> Success, _ done: @escaping Completion<Success>
  ) {
    self.convert = convert
    self.done = done
    self.bytes = bytes
    super.init(loop, operation, file)
  }

  /// Starts the operation through `call`, which passes its arguments on to libuv.
  func submit(_ call: (UnsafeMutablePointer<uv_fs_t>, @escaping uv_fs_cb) -> Int32) -> PendingRequest {
    let code = loop.isClosed ? UVError.Code.loopClosed.rawValue : call(request, didFinishFileRequest)
    if code < 0 {
      let done = done.take()!
      let error = failure(code, operation, file?.description)
      loop.queueMicrotask { done(.failure(error)) }
      return PendingRequest()
    }
    begin()
    return PendingRequest(self)
  }

  /// Starts an operation on a path.
  func submit(
    _ path: some PathConvertible,
    _ call: (UnsafePointer<CChar>, UnsafeMutablePointer<uv_fs_t>, @escaping uv_fs_cb) -> Int32
  ) -> PendingRequest {
    path.withPathBytes { pointer in
      guard let pointer else {
        let done = done.take()!
        let error = UVError(.invalidArgument, operation: operation, subject: "a path with a NUL in it")
        loop.queueMicrotask { done(.failure(error)) }
        return PendingRequest()
      }
      return submit { call(pointer, $0, $1) }
    }
  }

  override func cancel(slot: UInt, generation: UInt) {
    guard let done = done.take() else { return }
    // One that has begun runs to its end, and its result is released then.
    uv_cancel(cuv_request(request))
    let error = UVError(.cancelled, operation: operation, subject: subject)
    loop.queueMicrotask { done(.failure(error)) }
  }

  override func deliver() {
    let result = request.pointee.result
    if result < 0 {
      done.take()?(.failure(failure(result, operation, subject)))
    } else {
      // Also for nobody, so that what was obtained is released.
      let value = convert(self)
      done.take()?(.success(value))
    }
  }
}

/// What file operations of all results have in common.
class AnyFileRequest: ActiveRequest {
  let request = UnsafeMutablePointer<uv_fs_t>.allocate(capacity: 1)
  let operation: String
  let file: File?

  init(_ loop: EventLoop, _ operation: String, _ file: File?) {
    self.operation = operation
    self.file = file
    super.init(loop: loop)
    cuv_req_set_data(request, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { request.deallocate() }

  /// The path that the operation is about.
  var subject: String? {
    if let file { return file.description }
    return request.pointee.path.map { String(cString: $0) }
  }

  func begin() {
    // Balanced when libuv calls back, which it does once.
    _ = Unmanaged.passRetained(self)
    loop.requests.insert(self)
    file?.beginOperation()
  }

  fileprivate func finish() {
    loop.requests.remove(self)
    deliver()
    uv_fs_req_cleanup(request)
    file?.endOperation()
  }

  /// Tells the result.
  func deliver() {}
}

private func didFinishFileRequest(_ request: UnsafeMutablePointer<uv_fs_t>?) {
  // Balances the retain in `begin`.
  let operation = Unmanaged<AnyFileRequest>.fromOpaque(cuv_req_data(request!)).takeRetainedValue()
  let loop = operation.loop
  loop.beginCallback()
  operation.finish()
  loop.endCallback()
}

/// A write that goes on until every byte is written.
final class FileWriteRequest: FileRequest<Void> {
  private let descriptor: Int32
  private var offset: Int64?

  init(
    _ file: File, _ descriptor: Int32, _ bytes: Bytes, _ offset: Int64?, _ done: @escaping Completion<Void>
  ) {
    self.descriptor = descriptor
    self.offset = offset
    super.init(file.loop, "fs_write", file: file, bytes: bytes, { _ in }, done)
  }

  func start() -> PendingRequest { submit(write) }

  private func write(_ request: UnsafeMutablePointer<uv_fs_t>, _ done: @escaping uv_fs_cb) -> Int32 {
    var buffer = uv_buf_t()
    // The system caps one write a little below 2 GiB, and libuv returns its count in 32 bits.
    cuv_buf_set(&buffer, bytes!.start, min(bytes!.count, 1 << 30))
    return uv_fs_write(loop.raw, request, descriptor, &buffer, 1, offset ?? -1, done)
  }

  override func deliver() {
    let written = request.pointee.result
    guard written > 0, written < bytes!.count else { return super.deliver() }
    bytes = bytes!.dropping(written)
    offset = offset.map { $0 + Int64(written) }
    uv_fs_req_cleanup(request)
    cuv_req_set_data(request, Unmanaged.passUnretained(self).toOpaque())
    _ = start()
  }
}
