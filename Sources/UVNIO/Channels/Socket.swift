#if NIO || NIOBootstraps || Everything
import NIOCore
import UV

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Darwin
#endif

/// A socket that doesn't block, by its descriptor. Each function is one system call, and throws what NIO's
/// own channels do.
struct Socket {
  let descriptor: Int32

  /// Bytes or datagrams.
  enum Kind {
    case stream
    /// Datagrams, by the protocol for them that has the number, or the usual one if it is 0.
    case datagrams(Int32)
  }

  /// Makes a socket.
  init(_ family: NIOBSDSocket.ProtocolFamily, _ kind: Kind = .stream) throws {
    let (type, number) =
      switch kind {
      case .stream: (Self.stream, Int32(0))
      case .datagrams(let number): (Self.datagrams, number)
      }
    #if os(Linux) || os(Android)
    descriptor = socket(family.rawValue, type | Self.flags, number)
    if descriptor < 0 { throw Self.error("socket") }
    #else
    descriptor = socket(family.rawValue, type, number)
    if descriptor < 0 { throw Self.error("socket") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    try stopBlocking()
    #endif
  }

  /// Takes over a socket that was made elsewhere.
  init(takingOver descriptor: Int32) throws {
    self.descriptor = descriptor
    try stopBlocking()
  }

  /// Takes over a socket that doesn't block already.
  private init(nonblocking descriptor: Int32) { self.descriptor = descriptor }

  // The constants are an enumeration in Glibc's module alone.
  #if canImport(Glibc)
  private static let stream = Int32(SOCK_STREAM.rawValue)
  private static let datagrams = Int32(SOCK_DGRAM.rawValue)
  private static let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
  #else
  private static let stream = SOCK_STREAM
  private static let datagrams = SOCK_DGRAM
  #if os(Linux) || os(Android)
  private static let flags = SOCK_NONBLOCK | SOCK_CLOEXEC
  #endif
  #endif

  private func stopBlocking() throws {
    let flags = fcntl(descriptor, F_GETFL)
    if flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0 { throw Self.error("fcntl") }
  }

  static func error(_ call: String, _ code: Int32 = errno) -> IOError {
    IOError(errnoCode: code, reason: call)
  }

  // MARK: Beginning

  func assign(_ address: NIOCore.SocketAddress) throws {
    try address.withSockAddr { pointer, size in
      if bind(descriptor, pointer, socklen_t(size)) < 0 { throw Self.error("bind") }
    }
  }

  func startListening(backlog: Int32) throws {
    if listen(descriptor, backlog) < 0 { throw Self.error("listen") }
  }

  /// The next connection and its peer's address; nil if none waits.
  func acceptOne() throws -> (socket: Socket, peer: NIOCore.SocketAddress?)? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let accepted = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        SystemSocket.accept(descriptor, $0, &size)
      }
    }
    if accepted == -EAGAIN { return nil }
    if accepted < 0 { throw Self.error("accept", -accepted) }
    #if os(Linux) || os(Android)
    return (Socket(nonblocking: accepted), NIOCore.SocketAddress(storage))
    #else
    return (try Socket(takingOver: accepted), NIOCore.SocketAddress(storage))
    #endif
  }

  /// Begins to connect. Returns whether that is done already.
  func startConnecting(to address: NIOCore.SocketAddress) throws -> Bool {
    try address.withSockAddr { pointer, size in
      while connect(descriptor, pointer, socklen_t(size)) < 0 {
        switch errno {
        case EINTR: continue
        case EINPROGRESS: return false
        default: throw Self.error("connect")
        }
      }
      return true
    }
  }

  /// The error that the system has noted for the socket, and forgets by this call; 0 if there is none.
  func takeError() -> Int32 {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) < 0 ? errno : code
  }

  /// Why the system reports an error on a connection.
  func takeFailure() -> IOError {
    let code = takeError()
    return Self.error("connection reset", code == 0 ? ECONNRESET : code)
  }

  /// Whether the connection has failed or ended, in both directions.
  var isLost: Bool {
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  // MARK: Bytes

  /// Reads what has come. Returns 0 at the end, and nil if nothing has come.
  @inline(__always)
  func receive(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
    try moving("read") { read(descriptor, buffer.baseAddress, buffer.count) }
  }

  /// Sends bytes. Returns how many the system has taken, or nil if it has no room.
  @inline(__always)
  func transmit(_ bytes: UnsafeRawBufferPointer) throws -> Int? {
    try moving("write") { write(descriptor, bytes.baseAddress, bytes.count) }
  }

  /// Sends several buffers, one after the other; see ``transmit(_:)``.
  func transmit(_ buffers: UnsafeBufferPointer<iovec>) throws -> Int? {
    try moving("writev") { writev(descriptor, buffers.baseAddress, Int32(buffers.count)) }
  }

  /// Sends a part of a file; see ``transmit(_:)``. The count is 0 if the file is shorter than its region
  /// says.
  func transmitFile(_ file: Int32, from offset: Int, count: Int) throws -> Int? {
    try moving("sendfile") {
      #if os(Linux) || os(Android)
      var position = off_t(offset)
      return sendfile(descriptor, file, &position, count)
      #else
      var sent = off_t(count)
      let code = sendfile(file, descriptor, off_t(offset), &sent, nil, 0)
      return code == 0 || sent > 0 ? Int(sent) : -1
      #endif
    }
  }

  /// Makes a call that moves bytes, again for as long as a signal interrupts it. Returns nil if the call
  /// would have to wait.
  @inline(__always)
  private func moving(_ name: String, _ call: () -> Int) throws -> Int? {
    while true {
      let count = call()
      if count >= 0 { return count }
      if errno == EAGAIN { return nil }
      if errno != EINTR { throw Self.error(name) }
    }
  }

  // MARK: Ending

  enum Direction {
    case input, output

    #if os(Linux) || os(Android)
    var rawValue: Int32 { self == .input ? Int32(SHUT_RD) : Int32(SHUT_WR) }
    #else
    var rawValue: Int32 { self == .input ? SHUT_RD : SHUT_WR }
    #endif
  }

  func end(_ direction: Direction) throws {
    // A peer that has gone already has ended both.
    if shutdown(descriptor, direction.rawValue) < 0, errno != ENOTCONN { throw Self.error("shutdown") }
  }

  func discard() throws {
    // The descriptor has gone even after an interruption.
    if close(descriptor) < 0, errno != EINTR { throw Self.error("close") }
  }
}
#endif
