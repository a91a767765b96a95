/// Going on after what was too long.
extension ByteStream {
  /// Drops the bytes before a delimiter, at most `limit` bytes, and the delimiter. So a server refuses what is
  /// too long, and goes on with what follows:
  ///
  /// ```swift
  /// while true {
  ///   do throws(UVError) {
  ///     guard let line = try await connection.readLine(limit: 512).value else { break }
  ///     try await connection.write(answer(to: line)).value
  ///   } catch where error.code == .messageTooLong {
  ///     try await connection.write("500 the line is too long\r\n").value
  ///     _ = try await connection.skip(until: "\n", limit: 1 << 20).value
  ///   }
  /// }
  /// ```
  ///
  /// The bytes are dropped as they come, so they take no memory. If you cancel the request, those that have
  /// come are gone, and another `skip` finds the delimiter all the same.
  ///
  /// - Parameters:
  ///   - delimiter: One byte or more, such as `"\r\n"`.
  ///   - limit: The most bytes that there may be before the delimiter, 0 or more.
  /// - Returns: A request for the number of bytes before the delimiter; nil if the stream has ended before the
  ///   first of them. If it ends after that, the request fails with `endOfFile`. If the delimiter doesn't
  ///   come within the limit, the request fails with `messageTooLong`, and the error names the limit. It also
  ///   fails as ``read(exactly:)`` does.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  public final func skip(until delimiter: Bytes, limit: Int) -> Request<Int?> {
    Request(of: loop) { [self] in skip(until: delimiter, limit: limit, $0) }
  }

  /// Drops the bytes before a delimiter; see ``skip(until:limit:)``.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  @discardableResult
  public final func skip(
    until delimiter: Bytes, limit: Int, _ done: @escaping Completion<Int?>
  ) -> PendingRequest {
    read(ReadRequest(.skip, limit, delimiter)) { done($0.map { $0?.count }) }
  }
}
