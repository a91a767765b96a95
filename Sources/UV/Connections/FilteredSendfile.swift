import CUV

/// Bytes of a file on their way through a stream's filter. They pass through this process, a part at a time.
///
/// Other writes of the stream wait meanwhile, as they do for the system's `sendfile`.
final class FilteredSendfile {
  private static let bytesPerPart = 65536

  private let file: File
  private let stream: ByteStream
  private var offset: Int64
  private var remaining: Int
  private var sent = 0
  private var done: Completion<Int>?
  private var reading = PendingRequest()
  private var request: UnsafeMutablePointer<uv_write_t>?

  init(_ file: File, to stream: ByteStream, from offset: Int64, count: Int, _ done: @escaping Completion<Int>)
  {
    self.file = file
    self.stream = stream
    self.offset = offset
    remaining = count
    self.done = done
  }

  deinit { request?.deallocate() }

  func start() -> PendingRequest {
    step()
    // A caller may keep the pending request; that must not keep the stream. The read or write under way keeps
    // it.
    return PendingRequest("sendfile") { [weak self] in self?.cancel() }
  }

  private func cancel() { abandon(UVError(.cancelled, operation: "fs_sendfile", subject: file.description)) }

  /// Ends the waiting, because of a timeout or of the stream's close, or because nobody waits any more.
  func abandon(_ error: UVError) {
    reading.cancel()
    tell(.failure(error))
  }

  private func step() {
    stream.writes.beginFetching()
    reading = file.read(min(remaining, Self.bytesPerPart), at: offset) { [self] result in
      switch result {
      case .failure(let error):
        end(.failure(UVError(error.code, operation: "fs_sendfile", subject: file.description)))
      case .success(let bytes):
        // The file ends, or nobody waits any more.
        if bytes.isEmpty || done == nil { return end(.success(sent)) }
        send(bytes)
      }
    }
  }

  private func send(_ bytes: Bytes) {
    guard !stream.isClosing, let filter = stream.filter else { return end(UV_ECANCELED.rawValue) }
    if let error = bytes.withUnsafeBytes({ filter.seal($0) }) { return end(error.code.rawValue) }
    let output = filter.output
    let taken = stream.writes.offer(output)
    if taken < 0 { return end(Int32(taken)) }
    let rest = Bytes(copying: UnsafeRawBufferPointer(rebasing: output[taken...]))
    filter.dropOutput()
    stream.writes.letFilterRead()
    offset += Int64(bytes.count)
    remaining -= bytes.count
    sent += bytes.count
    if rest.isEmpty { return goOn() }
    let request = self.request ?? .allocate(capacity: 1)
    self.request = request
    // Balanced in `didSendPart`, which libuv calls once, also if the stream closes.
    cuv_req_set_data(request, Unmanaged.passRetained(self).toOpaque())
    var buffer = uv_buf_t()
    cuv_buf_set(&buffer, rest.start, rest.count)
    part = rest
    let code = cuv_write(request, stream.stream, &buffer, 1, nil, didSendPart)
    if code < 0 {
      Unmanaged.passUnretained(self).release()
      end(code)
    } else {
      stream.writes.noteFetched()
    }
  }

  /// The bytes that libuv is sending.
  private var part: Bytes?

  fileprivate func didSend(_ code: Int32) {
    if code == 0, let part { stream.loop.noteWritten(part.count, to: stream.block) }
    part = nil
    if code < 0 { end(code) } else { goOn() }
  }

  private func goOn() { if remaining == 0 || done == nil { end(.success(sent)) } else { step() } }

  private func end(_ code: Int32) {
    if code != UV_ECANCELED.rawValue { stream.writes.failLater(code) }
    end(.failure(failure(code, "fs_sendfile", file.description)))
  }

  /// Lets the stream's other writes go on.
  private func end(_ result: Result<Int, UVError>) {
    if !stream.isClosing { stream.writes.release() }
    tell(result)
  }

  private func tell(_ result: Result<Int, UVError>) {
    guard let done = done.take() else { return }
    file.loop.queueMicrotask { done(result) }
  }
}

private func didSendPart(_ request: UnsafeMutablePointer<uv_write_t>?, _ code: Int32) {
  // Balances the retain in `send`.
  let sendfile = Unmanaged<FilteredSendfile>.fromOpaque(cuv_req_data(request!)).takeRetainedValue()
  let loop = owner(of: request!.pointee.handle, as: ByteStream.self).loop
  loop.callback { sendfile.didSend(code) }
}
