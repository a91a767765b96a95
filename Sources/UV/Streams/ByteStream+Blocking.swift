import CUV

extension ByteStream {
  /// Chooses whether each write blocks the thread, and so the loop, until the system has taken the bytes.
  ///
  /// Use it for a terminal or a pipe whose output must be complete when the program ends. A server shouldn't
  /// use it.
  ///
  /// - Parameter isBlocking: True to block, false to return to the usual way.
  /// - Throws: `badDescriptor` if the stream is closed.
  ///
  /// The corresponding libuv function is `uv_stream_set_blocking`.
  public func setBlocking(_ isBlocking: Bool) throws(UVError) {
    try checkOpen("stream_set_blocking")
    // Everything that is written to a file is taken, even if the stream is closed.
    if isFile { return }
    try check(uv_stream_set_blocking(stream, isBlocking ? 1 : 0), "stream_set_blocking")
  }
}
