import CUV

extension File {
  /// Copies bytes of this file into another file, inside the system.
  ///
  /// - Parameters:
  ///   - target: The file to write to, at its own position.
  ///   - offset: Where to read in this file, in bytes. This file's position stays as it is.
  ///   - count: How many bytes to copy, 1 or more. Fewer are copied if the file ends before.
  /// - Returns: A request for the number of bytes that were copied. It fails with `noSpace`, with
  ///   `badDescriptor` if a file is closed or not open for reading or writing, and with `invalidArgument` for
  ///   a negative number or a file of another loop. If it fails, some of the bytes may have been copied.
  ///
  /// The corresponding libuv function is `uv_fs_sendfile`.
  public func sendfile(to target: File, from offset: Int64 = 0, count: Int) -> Request<Int> {
    Request(of: loop) { [self] in sendfile(to: target, from: offset, count: count, $0) }
  }

  /// Copies bytes into another file; see ``sendfile(to:from:count:)``.
  ///
  /// The corresponding libuv function is `uv_fs_sendfile`.
  @discardableResult
  public func sendfile(
    to target: File, from offset: Int64 = 0, count: Int, _ done: @escaping Completion<Int>
  ) -> PendingRequest {
    if let code = refusal(toSend: count, from: offset, on: target.loop) {
      return refuse(code, "fs_sendfile", done)
    }
    if target.isClosed { return target.refuse(.badDescriptor, "fs_sendfile", done) }
    let descriptor = cuv_duplicate(target.descriptor)
    if descriptor < 0 { return refuse(UVError.Code(rawValue: descriptor), "fs_sendfile", done) }
    target.beginOperation()
    return FileSendfileRequest(self, to: descriptor, from: offset, count: count, done) {
      target.endOperation()
    }.start()
  }

  /// Why the bytes cannot be sent.
  fileprivate func refusal(toSend count: Int, from offset: Int64, on other: EventLoop) -> UVError.Code? {
    if count < 1 || offset < 0 || other !== loop { return .invalidArgument }
    if loop.isClosed { return .loopClosed }
    return isClosed ? .badDescriptor : nil
  }
}

extension ByteStream {
  /// Sends bytes of a file; they don't pass through this process.
  ///
  /// ```swift
  /// try await connection.write(header).value
  /// try await connection.sendfile(file, count: size).value
  /// ```
  ///
  /// A stream that encrypts its bytes reads the file and sends what it has read, a part at a time.
  ///
  /// Everything that was written before must have left the stream. If bytes are still queued, this fails with
  /// `busy`. Bytes that you write meanwhile follow the file's bytes, and so does a ``shutdown()``.
  ///
  /// - Parameters:
  ///   - file: The file to send. Its position stays as it is.
  ///   - offset: Where to begin in the file, in bytes.
  ///   - count: How many bytes to send, 1 or more. Fewer are sent if the file ends before.
  /// - Returns: A request for the number of bytes that the system has taken. It fails with `busy`, with
  ///   `cancelled` if the stream is closed, and with `brokenPipe` or `connectionReset` if the peer has gone.
  ///   It fails with `badDescriptor` if the file is closed or not open for reading, and with
  ///   `invalidArgument` for a negative number or a file of another loop. If it fails, some of the bytes may
  ///   have been sent. If you cancel it, the sending stops where it is; a write would go on. Later
  ///   writes follow, so cancel it only if you close the stream next, or if your protocol can warn the peer.
  ///
  /// The corresponding libuv function is `uv_queue_work`; the thread pool then calls the system's `sendfile`.
  public func sendfile(_ file: File, from offset: Int64 = 0, count: Int) -> Request<Int> {
    Request(of: loop) { [self] in sendfile(file, from: offset, count: count, $0) }
  }

  /// Sends bytes of a file; see ``sendfile(_:from:count:)``.
  ///
  /// The corresponding libuv function is `uv_queue_work`; the thread pool then calls the system's `sendfile`.
  @discardableResult
  public func sendfile(
    _ file: File, from offset: Int64 = 0, count: Int, _ done: @escaping Completion<Int>
  ) -> PendingRequest {
    if let code = file.refusal(toSend: count, from: offset, on: loop) {
      return file.refuse(code, "fs_sendfile", done)
    }
    var request: SocketSendfileRequest?
    weak var filtered: FilteredSendfile?
    // If the stream closes, the sending that is under way is cancelled. A timeout reports its own error.
    let isAbandoned: Completion<Void> = { result in
      guard case .failure(let error) = result else { return }
      let reason =
        error.code == .timedOut
        ? error : UVError(.cancelled, operation: "fs_sendfile", subject: file.description)
      if let request { request.abandon(reason) } else { filtered?.abandon(reason) }
    }
    if let code = writes.hold(isAbandoned) {
      return file.refuse(UVError.Code(rawValue: code), "fs_sendfile", done)
    }
    if isFiltered {
      let sendfile = FilteredSendfile(file, to: self, from: offset, count: count, done)
      filtered = sendfile
      return sendfile.start()
    }
    let descriptor = (try? fileDescriptor()).map { descriptorToSend(to: $0) } ?? UV_EBADF.rawValue
    if descriptor < 0 {
      writes.release()
      return file.refuse(UVError.Code(rawValue: descriptor), "fs_sendfile", done)
    }
    request = SocketSendfileRequest(file, to: self, descriptor, from: offset, count: count, done) { [self] in
      request = nil
      didBypassWrites()
    }
    return request!.start()
  }

  /// A descriptor of its own for the same thing. A pipe or a terminal is opened anew, so that it doesn't block the
  /// thread that sends, whatever mode the stream is set to.
  private func descriptorToSend(to descriptor: Int32) -> Int32 {
    if cuv_handle_type(block.handle) != UV_TCP, !isFile {
      let other = cuv_reopen(descriptor, cuv_open_flags(descriptor))
      // A socket can't be opened anew, nor can a pipe whose reader has gone.
      if other >= 0 { return other }
    }
    return cuv_duplicate(descriptor)
  }
}

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
    report(.failure(error))
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
    report(result)
  }

  private func report(_ result: Result<Int, UVError>) {
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
