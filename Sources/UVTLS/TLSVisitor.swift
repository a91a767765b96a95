import COpenSSL

/// A connection that a listener has accepted, and whose handshake hasn't begun: its peer has sent nothing, or
/// waits for its turn. It has nothing of OpenSSL's.
final class TLSVisitor: StreamFilter {
  /// How many bytes are read before the handshake begins. A client's first message is rarely longer; the
  /// others follow.
  private static let mostBytes = 4096

  /// When the handshake must have ended.
  private(set) var deadline: LoopClock.Instant
  /// The source that the connection goes to.
  let source: CustomSource<TLSConnection>?
  /// Nil once the visit is over. This and the connection's filter, which is this, keep each other until then.
  private(set) var connection: TLSConnection?
  private let acceptor: TLSAcceptor
  /// The bytes that have come, in memory that the connections of a thread share.
  private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  /// The peer's bytes, if the peer has to wait for its turn.
  private var kept: [UInt8] = []

  /// Whether the peer has spoken.
  private(set) var isReady = false

  // The neighbours in the waiters' line.
  fileprivate(set) var next: TLSVisitor?
  fileprivate(set) unowned var previous: TLSVisitor?

  init(
    _ connection: TLSConnection, _ acceptor: TLSAcceptor, deadline: LoopClock.Instant,
    _ source: CustomSource<TLSConnection>?
  ) {
    self.connection = connection
    self.acceptor = acceptor
    self.deadline = deadline
    self.source = source
  }

  /// Ends the visit.
  func leave() -> TLSConnection? { connection.take() }

  /// Keeps what has come, and lets the rest wait in the system.
  func waitForTurn() {
    isReady = true
    kept = Array(bytes)
    connection?.stopReadingForFilter()
  }

  func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
    if kept.isEmpty { return body(UnsafeRawBufferPointer(bytes)) }
    kept.withUnsafeBytes(body)
  }

  // MARK: The filter

  func reserve() -> UnsafeMutableRawBufferPointer {
    bytes = UnsafeMutableRawBufferPointer(rebasing: CiphertextBuffer.current.memory[..<Self.mostBytes])
    return bytes
  }

  // Sound: libuv reads right after it has asked for memory, on the same thread.
  func received(_ count: Int) { bytes = UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]) }

  func advance() -> Bool {
    if connection != nil, !isReady { acceptor.spoke(self) }
    return false
  }

  func transportEnded(_ error: UVError?) -> UVError? {
    let error = error ?? UVError(.tlsTruncated, operation: "read")
    acceptor.turnAway(self, error)
    return error
  }

  /// A peer that is silent doesn't hold up the shutdown.
  func serviceEnds() {
    guard connection != nil else { return }
    deadline = min(deadline, LoopClock.Instant.now.advanced(by: TLSHandshake.timeInShutdown))
    acceptor.wakeUp(at: deadline)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> FilteredRead { .wait }
  func endReceiving() {}
  func seal(_ bytes: UnsafeRawBufferPointer) -> UVError? { UVError(.notConnected, operation: "write") }
  var output: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
  func dropOutput() {}
  func end() -> Bool { false }
}

/// Visitors in a line, the oldest first.
struct TLSVisitors {
  private(set) var first: TLSVisitor?
  private unowned var last: TLSVisitor?
  private(set) var count = 0

  mutating func append(_ visitor: TLSVisitor) {
    visitor.previous = last
    if let last { last.next = visitor } else { first = visitor }
    last = visitor
    count += 1
  }

  /// - Parameter visitor: One that is in this line.
  mutating func remove(_ visitor: TLSVisitor) {
    let next = visitor.next.take()
    let previous = visitor.previous
    visitor.previous = nil
    next?.previous = previous
    if next == nil { last = previous }
    if let previous { previous.next = next } else { first = next }
    count -= 1
  }
}
