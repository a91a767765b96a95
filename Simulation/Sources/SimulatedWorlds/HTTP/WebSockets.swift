import UVHTTP
import UVSimulation
import UVTLS

// Sound: one thread of a world runs at a time.
/// The messages that one side of a WebSocket sends, and those of them that the other side hears.
private final class Speech: @unchecked Sendable {
  /// How many messages have been begun.
  var begun = 0
  /// Those that were cancelled, or have failed.
  var uncertain: Set<Int> = []
  var heard: [Int] = []
  /// Whether this side has closed, and so may drop later messages; by which close, if it is known.
  var hasClosed = false
  var code: WebSocketCloseCode?
  /// Whether the other side has read to a close, before which all has come.
  var hasEnded = false

  /// Looks at the messages that have come, when both sides have ended.
  func check(_ name: String, mayMiss: Bool) throws {
    try expect(heard == heard.sorted() && Set(heard).count == heard.count, "\(name): another order: \(heard)")
    let end = hasEnded ? begun : (heard.last ?? -1) + 1
    let missing = Set(0..<end).subtracting(heard).subtracting(uncertain)
    try expect(missing.isEmpty || mayMiss, "\(name): \(missing.sorted()) of \(end) haven't come")
  }
}

/// Clients and a server send each other messages: whole, encoded, and bit by bit, with others meanwhile. Some read slowly. One
/// side closes, or both do, or the service ends. Messages come once, whole and in order, and all of them
/// before a close.
func webSockets(_ world: World, _ ledger: Ledger, _ transport: Transport) throws {
  let isRough = world.random(below: 2) == 0
  let clients = 2
  let talks = (0..<clients).map { _ in (Speech(), Speech()) }
  let (ended, isReady) = (Shared(0), Shared(false))
  var limits = WebSocketLimits()
  (limits.messageTimeout, limits.silence, limits.closeTimeout) = (
    .seconds(9000), .seconds(9000), .seconds(9000)
  )
  if isRough {
    limits.messageTimeout = .milliseconds(Int64(100 + world.random(below: 20_000)))
    limits.silence = .milliseconds(Int64(500 + world.random(below: 20_000)))
    limits.closeTimeout = .milliseconds(Int64(1 + world.random(below: 5000)))
  }
  limits.keepAlive = world.random(below: 2) == 0 ? nil : limits.silence / 2
  let shared = limits
  // The client closes, or the server does, or both do.
  let closers = (0..<clients).map { _ in Int(world.random(below: 3)) }
  world.node("server") { loop in
    let server = try transport.serveHTTP(loop, .patient)
    isReady.value = true
    var speakers: [LoopTask<Void, any Error>] = []
    let serving = loop.spawn { () async throws in
      for try await exchange in server {
        guard let number = Int(exchange.request.path!.dropFirst()) else { throw Violation("another path") }
        speakers.append(
          loop.spawn { () async throws in
            do {
              let socket = try await exchange.webSocket(limits: shared).value
              try await Speaker(socket, ledger, talks[number].0, talks[number].1, isRough).run(
                closers[number] > 0)
            } catch is UVError where isRough {}
          })
      }
    }
    let end = loop.now.advanced(by: .milliseconds(Int64(loop.draw(20_000))))
    let endsEarly = isRough && loop.isDrawn(oneIn: 3)
    while ended.value < clients, !endsEarly || loop.now < end {
      try await loop.sleep(for: .milliseconds(50)).value
    }
    if ended.value < clients { loop.shutdownGracefully(within: .seconds(60), ledger.ask("shutdown")) }
    server.close()
    try await serving.value
    for speaker in speakers { try await speaker.value }
  }
  for number in 0..<clients {
    world.node("client \(number)") { loop in
      defer { ended.value += 1 }
      while !isReady.value { try await loop.sleep(for: .milliseconds(20)).value }
      let isSecure = transport == .tls
      let security = isSecure ? loop.tls.client(try Certificates.client(loop)) : nil
      let client = HTTPClient(loop, options: .patient, security: security)
      do {
        let socket = try await client.webSocket(
          "\(isSecure ? "wss" : "ws")://server:7/\(number)", limits: shared
        ).value
        try await Speaker(socket, ledger, talks[number].1, talks[number].0, isRough).run(closers[number] != 1)
      } catch is UVError where isRough {}
      try await client.close().value
    }
  }
  ledger.atEnd {
    for (number, (one, other)) in talks.enumerated() {
      // A side that has closed drops the messages that come while it doesn't ask for one.
      try one.check("server to client \(number)", mayMiss: other.hasClosed)
      try other.check("client \(number) to server", mayMiss: one.hasClosed)
    }
  }
}

/// One side.
private final class Speaker {
  private let socket: WebSocket
  private let ledger: Ledger
  private let own: Speech
  private let others: Speech
  private let isRough: Bool
  private var loop: EventLoop { socket.loop }

  init(_ socket: WebSocket, _ ledger: Ledger, _ own: Speech, _ others: Speech, _ isRough: Bool) {
    (self.socket, self.ledger, self.own, self.others, self.isRough) = (socket, ledger, own, others, isRough)
  }

  nonisolated(nonsending) func run(_ closes: Bool) async throws {
    let sending = loop.spawn { () async throws in
      do { try await self.send() } catch let error as UVError { try self.judge(error) }
      if closes { try await self.close() }
    }
    do { try await read() } catch let error as UVError { try judge(error) }
    try await sending.value
    own.hasClosed = own.hasClosed || loop.isShuttingDown
    if socket.peerClose == nil { try expect(isRough, "an end without a close") }
  }

  /// Errors of a connection that ends, and of deadlines.
  private func judge(_ error: UVError) throws {
    let wrong: [UVError.Code] = [.invalidArgument, .protocolError, .messageTooLong, .alreadyInProgress]
    if wrong.contains(error.code) { throw Violation("\(error)") }
    // The other side may have closed meanwhile.
    if !isRough, error.code != .brokenPipe { throw Violation("\(error)") }
  }

  // MARK: Sending

  private static func make(_ number: Int, _ count: Int) -> WebSocketMessage {
    if number % 2 == 0 { return .binary(Records.make(lane: 0, number, count)) }
    let letters = ["aé€😀", "é€😀a", "€😀aé", "😀aé€"][number / 2 % 4]
    return .text("\(number) \(count) " + String(repeating: letters, count: count / 4))
  }

  private func begin() -> (Int, WebSocketMessage) {
    own.begun += 1
    return (own.begun - 1, Self.make(own.begun - 1, loop.draw([5, 300, 40_000][loop.draw(3)])))
  }

  private func sent(_ number: Int) -> Completion<Void> {
    ledger.ask("message \(number)") { [own] result in
      if case .failure = result { own.uncertain.insert(number) }
    }
  }

  private func sendWhole() {
    let (number, message) = begin()
    let done = sent(number)
    let pending =
      loop.isDrawn(oneIn: 2) ? socket.send(message, done) : socket.send(message.encoded(), done)
    if loop.isDrawn(oneIn: 8) { loop.cancel(pending) }
  }

  private nonisolated(nonsending) func send() async throws {
    for _ in 0..<loop.draw(25) {
      switch loop.draw(4) {
      case 0: try await sendInParts()
      case 1:
        let (number, message) = begin()
        try await Request<Void>(loop) { [self] done in
          let noted = sent(number)
          return socket.send(message) {
            noted($0)
            done($0)
          }
        }.value
      case 2: sendWhole()
      default:
        let data = message(own.begun, loop.draw(125))
        let pending = socket.ping(data, ledger.ask("ping"))
        if loop.isDrawn(oneIn: 3) { loop.cancel(pending) }
      }
      if loop.isDrawn(oneIn: 3) { try await loop.dawdle() }
    }
  }

  private nonisolated(nonsending) func sendInParts() async throws {
    let writer = try socket.begin(own.begun % 2 == 0 ? .binary : .text)
    let (number, message) = begin()
    let bytes: Bytes
    switch message {
    case .text(let text): bytes = Bytes(text)
    case .binary(let whole): bytes = whole
    }
    // Until it is complete.
    own.uncertain.insert(number)
    for part in Records.divide(bytes, on: loop) {
      try await writer.write(part).value
      if loop.isDrawn(oneIn: 3) { sendWhole() }
      if loop.isDrawn(oneIn: 3) { try await loop.dawdle() }
      // A program that fails within a message.
      if isRough, loop.isDrawn(oneIn: 40) { return own.hasClosed = true }
    }
    try await writer.finish().value
    own.uncertain.remove(number)
  }

  private nonisolated(nonsending) func close() async throws {
    if isRough, loop.isDrawn(oneIn: 4) { try await loop.dawdle() }
    let code = WebSocketCloseCode(rawValue: UInt16(4000 + loop.draw(900)))
    // Something else may have been first.
    if socket.peerClose == nil, !own.hasClosed, !loop.isShuttingDown { own.code = code }
    own.hasClosed = own.hasClosed || socket.peerClose == nil
    do {
      try await Request<Void>(loop) { [self] in socket.close(code, reason: "enough", ledger.ask("close", $0))
      }.value
      try expect(socket.peerClose != nil, "closed without the peer")
    } catch let error as UVError { try judge(error) }
  }

  // MARK: Reading

  private nonisolated(nonsending) func read() async throws {
    let isSlow = loop.isDrawn(oneIn: 2)
    for try await message in socket {
      try hear(message)
      if isSlow, loop.isDrawn(oneIn: 2) { try await loop.dawdle() }
      if isRough, loop.isDrawn(oneIn: 60) { try await loop.sleep(for: .seconds(loop.draw(30))).value }
    }
    guard let close = socket.peerClose else { throw Violation("the messages end without a close") }
    // Its answer to a close has no reason.
    if own.hasClosed || loop.isShuttingDown { return }
    if let code = others.code {
      try expect(close.code == code && close.reason == "enough", "\(close) in place of \(code)")
    }
    others.hasEnded = true
  }

  private func hear(_ message: WebSocketMessage) throws {
    let (number, count): (Int, Int)
    switch message {
    case .text(let text):
      let words = text.split(separator: " ", maxSplits: 2)
      (number, count) = (Int(words[0]) ?? -1, words.count > 1 ? Int(words[1]) ?? 0 : 0)
    case .binary(let bytes):
      number = Int(Bytes(bytes.dropFirst(4).prefix(4)).bigEndian(UInt32.self))
      count = bytes.count - Records.headerCount
    }
    try expect(message == Self.make(number, count), "message \(number) is another one")
    others.heard.append(number)
  }
}
