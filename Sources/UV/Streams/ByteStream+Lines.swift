/// Lines that must end in one way, and going on after what was too long.
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

  /// Reads a line of at most `limit` bytes that ends with a carriage return and a line feed, and takes these
  /// away.
  ///
  /// It is for protocols in which everybody must agree on where a line ends. A line in which a carriage return
  /// or a line feed stands alone is refused; ``readLine(limit:)`` takes either end, and
  /// ``read(until:limit:)`` leaves lone ones in the line.
  ///
  /// - Parameter limit: The most bytes that the line may have, 0 or more.
  /// - Returns: A request that ends and fails as ``read(until:limit:)`` does. It fails with `protocolError` if
  ///   a carriage return or a line feed stands alone. The bytes stay, so ``skip(until:limit:)`` with `"\n"`
  ///   goes on after the line.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  @inlinable
  @inline(__always)
  public final func readCRLFLine(limit: Int) -> Request<Bytes?> {
    Request(reading: ReadRequest(.strictLine, limit), from: self)
  }

  /// Reads a line that ends with a carriage return and a line feed; see ``readCRLFLine(limit:)``.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  @discardableResult
  public final func readCRLFLine(limit: Int, _ done: @escaping Completion<Bytes?>) -> PendingRequest {
    read(ReadRequest(.strictLine, limit), done)
  }
}
