import COpenSSL
import Foundation
import UVTestSupport

/// The other end of a stream that is tested: a thread that makes blocking calls of the system and of OpenSSL,
/// and has nothing of this library's. It reads nothing before a test asks it to.
///
/// Sound: the thread and its owner pass it to and fro by semaphores.
final class Peer: @unchecked Sendable {
  /// How the peer speaks.
  enum Speech { case plain, tls, startTLS }

  /// What the peer has read.
  struct Report: Sendable {
    var bytes: [UInt8] = []
    /// Whether the stream has ended as it should: by the end of the system's stream, with TLS by the sign of
    /// the end.
    var isClean = false
  }

  /// The line after which TLS begins. The peer sends it together with the first bytes of its handshake.
  static let line = "STARTTLS\n"

  private let descriptor: Int32
  private let speech: Speech
  private var ssl: OpaquePointer?
  private var report = Report()
  private var isReset = false
  private let isReady = Semaphore()
  private let mayRead = Semaphore()
  private let isDone = Semaphore()

  init(_ descriptor: Int32, _ speech: Speech) {
    self.descriptor = descriptor
    self.speech = speech
  }

  /// Begins, with a handshake if there is one.
  func start() {
    Thread { [self] in
      if speech != .plain { handshake() }
      isReady.signal()
      mayRead.wait()
      if !isReset { readToEnd() }
      if let ssl { SSL_free(ssl) }
      if !isReset { close(descriptor) }
      isDone.signal()
    }.start()
  }

  /// Waits until the handshake is done.
  func waitUntilReady() {
    isReady.wait()
    isReady.signal()
  }

  /// Reads from now on.
  func read() { mayRead.signal() }

  /// Waits for the end of the stream. ``read()`` or ``reset()`` has been called.
  func end() -> Report {
    isDone.wait()
    return report
  }

  /// How many bytes wait to be read.
  var waitingCount: Int {
    var count: Int32 = 0
    return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }

  /// Closes the connection by a reset. A Unix domain socket has none: the other end is notified by its unread
  /// bytes.
  func reset() {
    waitUntilReady()
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    isReset = true
    close(descriptor)
    mayRead.signal()
  }

  /// Sends a few bytes, by TLS if the peer speaks it.
  func say(_ bytes: some Collection<UInt8>) {
    waitUntilReady()
    let bytes = Array(bytes)
    if let ssl {
      SSL_write(ssl, bytes, Int32(bytes.count))
    } else {
      send(descriptor, bytes, bytes.count, 0)
    }
  }

  /// Ends the peer's own writing.
  func endWriting() {
    waitUntilReady()
    if let ssl { SSL_shutdown(ssl) }
    shutdown(descriptor, Int32(SHUT_WR))
  }

  // MARK: The thread

  // Sound: it is made once, and OpenSSL counts its users under a lock.
  private nonisolated(unsafe) static let context: OpaquePointer = SSL_CTX_new(TLS_client_method())

  private func handshake() {
    let ssl = SSL_new(Self.context)!
    SSL_set_connect_state(ssl)
    if speech == .startTLS { sendLine(before: ssl) }
    SSL_set_fd(ssl, descriptor)
    // A failure shows by what is read.
    if SSL_do_handshake(ssl) != 1 { ERR_clear_error() }
    self.ssl = ssl
  }

  /// Sends the line and the first bytes of the handshake at once.
  private func sendLine(before ssl: OpaquePointer) {
    let output = BIO_new(BIO_s_mem())
    SSL_set_bio(ssl, BIO_new(BIO_s_mem()), output)
    SSL_do_handshake(ssl)
    ERR_clear_error()
    var bytes = Array(Self.line.utf8) + [UInt8](repeating: 0, count: 4096)
    let count = BIO_read(output, &bytes[Self.line.utf8.count], 4096)
    send(descriptor, bytes, Self.line.utf8.count + Int(count), 0)
  }

  private func readToEnd() {
    // Small buffers have held the writer up; now they would only take time.
    var size: Int32 = 1 << 20
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count =
        ssl.map { Int(SSL_read($0, &buffer, Int32(buffer.count))) }
        ?? recv(descriptor, &buffer, buffer.count, 0)
      if count > 0 {
        report.bytes += buffer[..<count]
        continue
      }
      report.isClean = ssl.map { SSL_get_error($0, Int32(count)) == SSL_ERROR_ZERO_RETURN } ?? (count == 0)
      ERR_clear_error()
      return
    }
  }
}

/// Two connected sockets of the system's, whose buffers are as small as they can usefully be.
struct Sockets {
  static let bufferSize: Int32 = 4096
  let near: Int32
  let far: Int32

  /// A TCP connection.
  static func tcp() -> Sockets {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let far = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    withUnsafeMutableBytes(of: &address) {
      let address = $0.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      bind(listener, address, length)
      listen(listener, 1)
      getsockname(listener, address, &length)
      set(far, SO_RCVBUF)
      connect(far, address, length)
    }
    let near = accept(listener, nil, nil)
    set(near, SO_SNDBUF)
    return Sockets(near: near, far: far)
  }

  /// Two Unix domain sockets.
  static func pipe() -> Sockets {
    var both: [Int32] = [-1, -1]
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &both)
    set(both[0], SO_SNDBUF)
    return Sockets(near: both[0], far: both[1])
  }

  private static func set(_ descriptor: Int32, _ option: Int32) {
    var size = bufferSize
    setsockopt(descriptor, SOL_SOCKET, option, &size, 4)
  }
}
