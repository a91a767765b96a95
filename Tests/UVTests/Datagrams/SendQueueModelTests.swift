import Foundation
import Testing
import UV
import UVTestSupport

/// Lists of datagrams of which the system takes some at once and has no room for others, beside a model: what waits is what was
/// to be sent and has gone nowhere yet.
@Suite(.onTheMachine("sockets of the Unix domain for datagrams")) struct SendQueueModelTests {
  private final class Sending {
    let numbers: Range<Int>
    var outcomes: [String] = []
    var pending = PendingRequest()
    var isCancelled = false

    init(_ numbers: Range<Int>) { self.numbers = numbers }
  }

  /// What has been done so far.
  private final class Model {
    let socket: UDPSocket
    let room: Int
    var sendings: [Sending] = []
    var asked = 0
    /// How many of those that were cancelled aren't sent any more.
    var dropped = 0
    var received: [Int] = []
    var log: [String] = []

    init(_ socket: UDPSocket, _ room: Int) { (self.socket, self.room) = (socket, room) }

    /// How many the system has.
    var inSystem: Int { asked - dropped - received.count - socket.sendQueueCount }

    /// Each has the same size.
    static func bytes(_ number: Int) -> Bytes { Bytes("\(10_000 + number)") }

    func send(_ count: Int, isList: Bool) {
      log.append("send \(count)")
      let sending = Sending(asked..<asked + count)
      asked += count
      sendings.append(sending)
      let done: Completion<Void> = { sending.outcomes.append($0.error?.name ?? "ok") }
      let datagrams = sending.numbers.map { Datagram(Self.bytes($0)) }
      sending.pending = isList ? socket.send(datagrams, done) : socket.send(datagrams[0].bytes, done)
    }

    func trySend() throws(UVError) {
      // Only what nothing is before, and what there is room for.
      let isExpected = socket.sendQueueCount == 0 && inSystem < room
      log.append("try")
      let isSent = try socket.trySend(Self.bytes(asked))
      #expect(isSent == isExpected, "\(log)")
      guard isSent else { return }
      sendings.append(Sending(asked..<asked + 1))
      sendings.last!.outcomes = ["ok"]
      asked += 1
    }

    func cancel(_ sending: Sending) {
      log.append("cancel \(sending.numbers)")
      let before = socket.sendQueueCount
      sending.isCancelled = true
      sending.pending.cancel()
      dropped += before - socket.sendQueueCount
    }

    /// Takes up to so many of what the peer has.
    func receive(_ count: Int, _ peer: Int32) {
      log.append("receive \(count)")
      for _ in 0..<count {
        var buffer = [UInt8](repeating: 0, count: 100)
        let length = recv(peer, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if length < 0 { return }
        received.append(Int(String(decoding: buffer.prefix(length), as: UTF8.self))! - 10_000)
      }
    }

    func check() {
      let count = socket.sendQueueCount
      #expect(count >= 0 && socket.sendQueueSize == 5 * count, "\(log)")
      #expect((0...room).contains(inSystem), "\(count) wait, and the system has \(inSystem): \(log)")
    }
  }

  @Test("What waits is what neither the system nor the peer has got", arguments: 1...12)
  func model(seed: UInt64) async throws {
    try await CancelledDatagramTests().withSocket(isFull: false) { loop, socket, peer, room in
      let draws = Draws(seed)
      let model = Model(socket, room)
      for _ in 0..<60 {
        let waiting = model.sendings.filter { $0.outcomes.isEmpty && !$0.isCancelled }
        switch draws.draw(6) {
        case 0: model.send(1, isList: false)
        case 1, 2:
          // Those of a list leave together, but the first one.
          let counts = [0, 1, 2, 3, room - 1, room, room + 1, 2 * room]
          if model.socket.sendQueueCount < 100 { model.send(draws.one(of: counts), isList: true) }
        case 3 where !waiting.isEmpty: model.cancel(draws.one(of: waiting))
        case 4: try model.trySend()
        default: model.receive(draws.draw(2 * room), peer)
        }
        model.check()
        for _ in 0..<draws.draw(3) { try await loop.sleep(for: .zero).value }
        model.check()
      }
      try await loop.until {
        model.receive(100, peer)
        return model.received.count == model.asked - model.dropped
      }
      try await loop.until { model.sendings.allSatisfy { !$0.outcomes.isEmpty } }
      model.receive(1, peer)
      #expect(socket.sendQueueCount == 0 && socket.sendQueueSize == 0, "\(model.log)")
      #expect(model.received.count == model.asked - model.dropped, "\(model.log)")
      // Each comes once and in order, and of a request that was cancelled the first ones.
      #expect(zip(model.received, model.received.dropFirst()).allSatisfy { $0 < $1 }, "\(model.log)")
      for sending in model.sendings {
        let came = model.received.filter(sending.numbers.contains)
        #expect(came == Array(sending.numbers.prefix(came.count)), "\(model.log)")
        if !sending.isCancelled { #expect(came.count == sending.numbers.count, "\(model.log)") }
        // One that had ended before it was cancelled is sent.
        let isSent = came.count == sending.numbers.count && sending.outcomes == ["ok"]
        #expect(isSent || sending.isCancelled && sending.outcomes == ["ECANCELED"], "\(model.log)")
      }
      try model.trySend()
      #expect(try await CancelledDatagramTests.receive(peer, loop).count == 1)
    }
  }
}
