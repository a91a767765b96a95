/// A filter that a stream's bytes pass on their way from and to the system: TLS.
///
/// A filter stands where libuv stands for other streams. It is asked to fill a buffer, and to take bytes to
/// send. It knows nothing of readers, writers, frames or water marks, and these know nothing of it.
/// Everything happens on the loop's thread.
package protocol StreamFilter: AnyObject {
  // MARK: Reading

  /// Memory for the system's next bytes. It may be shared by all filters of a thread; see ``endReceiving()``.
  func reserve() -> UnsafeMutableRawBufferPointer

  /// Takes bytes that have come to the memory that was reserved last.
  func received(_ count: Int)

  /// Does what comes before the first byte: a handshake.
  ///
  /// - Returns: Whether bytes can be read now.
  func advance() -> Bool

  /// Turns what has come into bytes for readers, as many as there are and as the buffer has room for.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> FilteredRead

  /// Called when nothing more is read from what has come, before others use the shared memory.
  func endReceiving()

  /// The system's bytes have ended, or failed with an error. The stream's close is such an error, too.
  ///
  /// - Returns: The error for readers; nil if it is a clean end.
  func transportEnded(_ error: UVError?) -> UVError?

  /// The service that the stream belongs to ends.
  func serviceEnds()

  // MARK: Writing

  /// Turns bytes into bytes for the system, which follow the others of ``output``.
  ///
  /// - Returns: Why that isn't possible.
  func seal(_ bytes: UnsafeRawBufferPointer) -> UVError?

  /// Bytes for the system: what was sealed, and what the filter itself has to say. The stream counts them as
  /// its own.
  var output: UnsafeRawBufferPointer { get }

  /// Forgets the bytes of ``output``. The system has them, or they were copied.
  func dropOutput()

  /// Adds to ``output`` what the filter says at the end of writing.
  ///
  /// - Returns: False if there is nothing to say, or if it has been said.
  func end() -> Bool
}

/// The answer of a filter to a reader.
package enum FilteredRead {
  /// So many bytes are in the buffer, at least one. `isAll`: there is nothing more until more has come.
  case bytes(Int, isAll: Bool)
  /// More has to come first.
  case wait
  /// The peer has ended the stream.
  case end
  case failed(UVError)
}

/// Something that secures a client's connections, as TLS does. A module whose protocol may be secured, such as
/// `UVHTTP`, takes one, so that it needs no TLS itself: `HTTPClient(loop, security: loop.tls)`.
public protocol StreamSecurity {
  /// Secures a connection that is open, and verifies that the peer is `host`.
  ///
  /// - Parameters:
  ///   - stream: The connection. It is used up, as `loop.tls.secure` says.
  ///   - host: The name or the address of the peer.
  /// - Returns: A request for the secured connection.
  func secure(_ stream: ByteStream, host: String) -> Request<ByteStream>
}
