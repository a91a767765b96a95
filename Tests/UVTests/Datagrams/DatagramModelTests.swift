import Foundation
import Testing
import UV
import UVTestSupport

/// A socket that gets many datagrams by one call of the system, and readers that ask in drawn order.
@Suite struct DatagramModelTests {
  /// A reader that asks, takes a handler and stops in drawn order.
  private final class Reader {
    let socket: UDPSocket
    let draws: Draws
    private(set) var received: [Bytes] = []
    private var asked: [(number: Int, request: PendingRequest)] = []
    private var hasHandler = false
    private var isOver = false
    private var count = 0

    init(_ socket: UDPSocket, _ draws: Draws) { (self.socket, self.draws) = (socket, draws) }

    func step() {
      switch draws.draw(4) {
      case 0 where !hasHandler: for _ in 0...draws.draw(5) { ask() }
      case 1 where !asked.isEmpty: asked.remove(at: draws.draw(asked.count)).request.cancel()
      case 2 where asked.isEmpty && !hasHandler: start()
      case 3 where hasHandler: stop()
      default: break
      }
    }

    private func ask() {
      count += 1
      let number = count
      let request = socket.next { [self] result in
        asked.removeAll { $0.number == number }
        note(result)
      }
      asked.append((number, request))
    }

    private func note(_ result: Result<Datagram?, UVError>) {
      if case .success(let datagram?) = result { received.append(datagram.bytes) }
      // In the middle of a batch, too.
      if !isOver, draws.draw(6) == 0 { step() }
    }

    private func start() {
      hasHandler = true
      socket.start { [self] result in if hasHandler { note(result) } }
    }

    private func stop() {
      hasHandler = false
      socket.stop()
    }

    /// Takes all that comes from now on.
    func takeAll() {
      isOver = true
      for asker in asked { asker.request.cancel() }
      asked = []
      if hasHandler { stop() }
      hasHandler = true
      socket.start { [self] in
        if case .success(let datagram?) = $0 { received.append(datagram.bytes) }
      }
    }
  }

  @Test(arguments: [false, true], 0..<3)
  func `Each datagram comes once and in order, however its reader asks`(inBatches: Bool, part: Int)
    async throws
  {
    try await withLoop { loop in
      for seed in part * 20..<(part + 1) * 20 {
        let draws = Draws(UInt64(seed))
        let socket = try loop.udp.bind(
          host: "127.0.0.1", port: 0, options: inBatches ? .receiveInBatches : [])
        let sender = try loop.udp.connect(to: socket.localAddress())
        let reader = Reader(socket, draws)
        var sent: [Bytes] = []
        for _ in 0..<12 {
          for _ in 0..<draws.draw(3) * 7 where sent.count < 100 {
            sent.append(Bytes("\(sent.count)"))
            sender.send(sent.last!) { _ in }
          }
          reader.step()
          for _ in 0..<draws.draw(4) { try await loop.sleep(for: .zero).value }
        }
        reader.takeAll()
        try await loop.until { reader.received.count >= sent.count }
        // It goes on with what comes later.
        sent.append("last")
        sender.send("last") { _ in }
        try await loop.until { reader.received.count >= sent.count }
        #expect(reader.received == sent, "seed \(seed)")
        for socket in [socket, sender] { socket.close() }
        try await loop.settle()
      }
    }
  }

  @Test func `A socket that has closed holds nothing that nobody has asked for`() async throws {
    try await withLoop { loop in
      let (size, count) = (4000, 20)
      var held: [UDPSocket] = []
      var before: Int?
      for _ in 0...10 {
        let socket = try loop.udp.bind(host: "127.0.0.1", port: 0, options: .receiveInBatches)
        let sender = try loop.udp.connect(to: socket.localAddress())
        for _ in 0..<count { try await sender.send(Bytes(repeating: 1, count: size)).value }
        // The others of the same batch wait for a reader.
        #expect(try await socket.next().value?.bytes.count == size)
        // This task goes on in the middle of the batch.
        try await loop.settle()
        for socket in [socket, sender] { try await socket.close().value }
        held.append(socket)
        // The first one makes the loop's own memory for a batch.
        if before == nil { before = Hooks.heapInUse }
      }
      if let before, let after = Hooks.heapInUse {
        #expect(after - before < 3 * count * size, "the heap grew by \(after - before) bytes")
      }
      withExtendedLifetime(held) {}
    }
  }
}
