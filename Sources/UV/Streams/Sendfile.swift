import CUV

extension File {
  /// Copies bytes into another file, inside the system.
  ///
  /// - Parameters:
  ///   - target: Where to write, at that file's position.
  ///   - offset: Where to read; this file's position stays.
  ///   - count: How many bytes, 1 or more; fewer are copied where the file ends before.
  /// - Returns: A request for how many were copied. It fails with `badDescriptor` (closed, or not open for reading
  ///   or writing), `noSpace`, `invalidArgument` for a negative number or a file of another loop; some of the bytes
  ///   may have been copied then.
  ///
  /// The corresponding libuv function is `uv_fs_sendfile`.
  public func sendfile(to target: File, from offset: Int64 = 0, count: Int) -> Request<Int> {
    Request(loop) { [self] in sendfile(to: target, from: offset, count: count, $0) }
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
  /// Sends bytes of a file, without having them pass through this process.
  ///
  /// ```swift
  /// try await connection.write(header).value
  /// try await connection.sendfile(file, count: size).value
  /// ```
  ///
  /// Everything that was written before must have left: with something in the queue this fails with `busy`. What is
  /// written meanwhile follows the file's bytes, and so does a ``shutdown()``.
  ///
  /// - Parameters:
  ///   - file: What to send; its position stays.
  ///   - offset: Where to begin in the file.
  ///   - count: How many bytes, 1 or more; fewer are sent where the file ends before.
  /// - Returns: A request for how many bytes the system has taken. It fails with `cancelled` if the stream is closed,
  ///   `brokenPipe` or `connectionReset` if the peer has gone, `busy`, `badDescriptor` (closed, or not open for
  ///   reading), `invalidArgument` for a negative number or a file of another loop; some of the bytes may have been
  ///   sent then.
  ///
  /// The corresponding libuv function is `uv_queue_work`, on which the system's `sendfile` is called.
  public func sendfile(_ file: File, from offset: Int64 = 0, count: Int) -> Request<Int> {
    Request(loop) { [self] in sendfile(file, from: offset, count: count, $0) }
  }

  /// Sends bytes of a file; see ``sendfile(_:from:count:)``.
  ///
  /// The corresponding libuv function is `uv_queue_work`, on which the system's `sendfile` is called.
  @discardableResult
  public func sendfile(
    _ file: File, from offset: Int64 = 0, count: Int, _ done: @escaping Completion<Int>
  ) -> PendingRequest {
    if let code = file.refusal(toSend: count, from: offset, on: loop) {
      return file.refuse(code, "fs_sendfile", done)
    }
    var pending = PendingRequest()
    // The stream closes, and what is under way with it.
    if let code = writes.hold({ if case .failure = $0 { pending.cancel() } }) {
      return file.refuse(UVError.Code(rawValue: code), "fs_sendfile", done)
    }
    let descriptor = (try? fileDescriptor()).map { cuv_duplicate($0) } ?? UV_EBADF.rawValue
    if descriptor < 0 {
      writes.release()
      return file.refuse(UVError.Code(rawValue: descriptor), "fs_sendfile", done)
    }
    pending = SocketSendfileRequest(file, to: descriptor, from: offset, count: count, done) { [self] in
      if !isClosing { writes.release() }
    }.start()
    return pending
  }
}
