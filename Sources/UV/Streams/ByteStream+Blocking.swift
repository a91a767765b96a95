import CUV

extension ByteStream {
  /// Has the system wait within each write until it has taken the bytes, and the loop with it, or not.
  ///
  /// For a terminal or a pipe whose output is to be complete when the program ends; a server does not want it.
  ///
  /// - Throws: `badDescriptor` if the stream is closed.
  ///
  /// The corresponding libuv function is `uv_stream_set_blocking`.
  public func setBlocking(_ isBlocking: Bool) throws(UVError) {
    try checkOpen("stream_set_blocking")
    try check(uv_stream_set_blocking(stream, isBlocking ? 1 : 0), "stream_set_blocking")
  }
}
