/// Frames that have come already.
///
/// These functions look only at bytes that the stream has read and no reader has taken. They don't ask the
/// system for more, and wait for nothing.
extension ByteStream {
  /// Takes the bytes before a delimiter if they have come, and takes the delimiter away.
  ///
  /// A server whose peers send several requests at once can gather its answers until the next request isn't
  /// complete, and write them together:
  ///
  /// ```swift
  /// while let head = try await connection.read(until: "\r\n\r\n", limit: 8192).value {
  ///   answers.append(answer(head))
  ///   while let next = try connection.tryRead(until: "\r\n\r\n", limit: 8192) { answers.append(answer(next)) }
  ///   try await connection.write(answers.takeBytes()).value
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - delimiter: One byte or more, such as `"\r\n"`.
  ///   - limit: The most bytes that there may be before the delimiter, 0 or more.
  /// - Returns: The bytes before the delimiter. Nil if they haven't come completely, if another reader waits,
  ///   or if the stream has ended; ``read(until:limit:)`` then tells which.
  /// - Throws: `messageTooLong` if the delimiter doesn't come within the limit, and `invalidArgument` for an
  ///   empty delimiter or a negative limit. The bytes stay in both cases.
  ///
  /// Complexity: O(*n*). No memory is allocated if the bytes came in one read of the system.
  ///
  /// libuv has no corresponding function.
  public final func tryRead(until delimiter: Bytes, limit: Int) throws(UVError) -> Bytes? {
    try tryRead(Frame(.until, limit, delimiter))
  }

  /// Takes a line if it has come, and takes its end away; see ``readLine(limit:)`` and
  /// ``tryRead(until:limit:)``.
  ///
  /// - Parameter limit: The most bytes that the line may have, 0 or more.
  /// - Returns: The line; nil as with ``tryRead(until:limit:)``.
  /// - Throws: `messageTooLong` and `invalidArgument`, as ``tryRead(until:limit:)`` does.
  ///
  /// libuv has no corresponding function.
  public final func tryReadLine(limit: Int) throws(UVError) -> Bytes? { try tryRead(Frame(.line, limit)) }

  /// Takes a number of bytes if they have come; see ``read(exactly:)`` and ``tryRead(until:limit:)``.
  ///
  /// - Parameter count: How many bytes, 0 to 1 GiB.
  /// - Returns: The bytes; nil as with ``tryRead(until:limit:)``.
  /// - Throws: `invalidArgument` if `count` is out of range.
  ///
  /// libuv has no corresponding function.
  public final func tryRead(exactly count: Int) throws(UVError) -> Bytes? {
    try tryRead(Frame(.exactly, count))
  }

  private func tryRead(_ frame: Frame) throws(UVError) -> Bytes? {
    if !frame.isValid { throw frame.invalid }
    return try (readsIfAny { $0.outcomeIfHere(frame) } ?? nil)?.get() ?? nil
  }
}
