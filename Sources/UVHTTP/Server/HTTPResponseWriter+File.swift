#if HTTP || Everything
import UV

extension HTTPResponseWriter {
  /// Writes a part of a file. Its bytes don't pass through this process, unless they have to be encrypted.
  ///
  /// ```swift
  /// try await writer.write("--a\r\n\r\n").value
  /// try await writer.write(file: file, from: 1000, count: 500).value
  /// ```
  ///
  /// - Parameters:
  ///   - file: The file. Its position stays as it is. Don't close it before the request has ended.
  ///   - offset: Where to begin in the file, in bytes, 0 or more.
  ///   - count: How many bytes to send, 0 or more. If the file has fewer, the connection breaks off.
  /// - Returns: A request that ends when the system has taken the bytes. It fails as ``write(_:)-(Bytes)`` does,
  ///   with `invalidArgument` for a negative number, and with `endOfFile` if the file is too short. What you
  ///   write meanwhile follows. Cancelling it before it has ended ends the connection.
  ///
  /// The corresponding libuv function is `uv_fs_sendfile`.
  public func write(file: File, from offset: Int64 = 0, count: Int) -> Request<Void> {
    Request(of: loop) { [self] in write(file: file, from: offset, count: count, $0) }
  }

  /// Writes a part of a file; see ``write(file:from:count:)``.
  ///
  /// The corresponding libuv function is `uv_fs_sendfile`.
  @discardableResult
  public func write(
    file: File, from offset: Int64 = 0, count: Int, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    let code = count < 0 || offset < 0 ? .invalidArgument : refusal(of: count)
    if let code { return connection.fail(code, done) }
    return put(file, from: offset, count: count, done)
  }

  private func put(
    _ file: File, from offset: Int64, count: Int, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    guard mayWrite else { return wait(done) { [self] in put(file, from: offset, count: count, $0) } }
    putHead()
    if isHead || count == 0 {
      connection.flushLater()
      return connection.notify(done)
    }
    beginChunk(count)
    isSending = true
    return connection.put(file, from: offset, count: count) { [self] outcome in
      isSending = false
      if case .success = outcome, connection.isServing {
        endChunk()
        connection.flushLater()
      }
      // These were written first. The program may write more when it hears of the end.
      let following = waiting
      waiting = []
      for body in following { body() }
      done(outcome)
    }
  }
}
#endif
