import CTestHooks
import Foundation
import Testing
import UVTestSupport

@testable import UV

/// Lists of datagrams with a libuv that sends several in one call. A function of the hooks' stands in for it, so that each
/// libuv has these tests.
@Suite(.serialized) struct DatagramBatchTests {
  /// The most that one call is to get: newer libuvs leave out some of more.
  private static let most = 20

  /// Has a loop use the function. The next calls of it take so many datagrams each, or return a code; then all.
  private func useFunction(_ loop: EventLoop, _ answers: [Int32]) {
    func typed<Function>(_ function: UnsafeRawPointer) -> Function {
      unsafeBitCast(function, to: Function.self)
    }
    loop.internals.newer.udpTrySend2 = typed(test_batches_begin(answers, Int32(answers.count))!)
  }

  /// The calls of the function since.
  private var calls: [test_batch] {
    var (calls, call) = ([test_batch](), test_batch())
    while test_batches_call(Int32(calls.count), &call) != 0 { calls.append(call) }
    return calls
  }

  /// Sends a list, and expects that it arrives once and in order. Returns how many each call got.
  private nonisolated(nonsending) func send(
    _ loop: EventLoop, _ count: Int, isConnected: Bool, _ answers: [Int32] = []
  ) async throws -> [Int] {
    useFunction(loop, answers)
    let receiver = try loop.udp.bind(host: "127.0.0.1", port: 0)
    let address = try receiver.localAddress()
    let sender = try isConnected ? loop.udp.connect(to: address) : loop.udp.bind(host: "127.0.0.1", port: 0)
    try await sender.send((0..<count).map { Datagram(Bytes("\($0)"), to: isConnected ? nil : address) }).value
    for number in 0..<count { #expect(try await receiver.next().value?.bytes == Bytes("\(number)")) }
    try await sender.send("last", to: isConnected ? nil : address).value
    #expect(try await receiver.next().value?.bytes == "last")
    for socket in [receiver, sender] { socket.close() }
    #expect(calls.allSatisfy { $0.with_address == (isConnected ? 0 : $0.count) })
    return calls.map { Int($0.count) }
  }

  @Test(arguments: [false, true])
  func `All but the first of a list go many at a time`(isConnected: Bool) async throws {
    let most = Self.most
    try await withLoop { loop in
      for count in [1, 2, 3, most, most + 1, most + 2, 2 * most, 2 * most + 1, 2 * most + 2] {
        // One that is left goes as the first does.
        let expected = stride(from: 1, to: count, by: most).map { min(most, count - $0) }.filter { $0 > 1 }
        let counts = try await send(loop, count, isConnected: isConnected)
        #expect(counts == expected, "\(count) datagrams")
      }
    }
  }

  @Test(arguments: [false, true])
  func `A list arrives once and in order, however few of it one call takes`(isConnected: Bool) async throws {
    try await withLoop { loop in
      let draws = Draws(isConnected ? 2 : 1)
      for _ in 0..<50 {
        let answers = (0..<draws.draw(8)).map { _ in draws.one(of: [0, 1, 2, 5, 19, -EAGAIN, -EAGAIN]) }
        _ = try await send(loop, 2 + draws.draw(60), isConnected: isConnected, answers)
      }
    }
  }

  @Test func `A call that fails ends the list, and what came before it has left`() async throws {
    try await withLoop { loop in
      let receiver = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let sender = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let address = try receiver.localAddress()
      useFunction(loop, [3, -ENOBUFS])
      await expectError(
        .noBuffers, of: try await sender.send((0..<10).map { Datagram(Bytes("\($0)"), to: address) }).value)
      for number in 0..<4 { #expect(try await receiver.next().value?.bytes == Bytes("\(number)")) }
      try await sender.send("next", to: address).value
      #expect(try await receiver.next().value?.bytes == "next")
      for socket in [receiver, sender] { socket.close() }
    }
  }

  @Test
  func `Datagrams with an address and those without never share a call, and a closed socket asks nobody`()
    async throws
  {
    try await withLoop { loop in
      let receiver = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let address = try receiver.localAddress()
      let sender = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let list = (0..<10).map { Datagram(Bytes("\($0)"), to: $0 < 6 ? address : nil) }
      useFunction(loop, [])
      await expectError(.destinationRequired, of: try await sender.send(list).value)
      #expect(calls.map(\.count) == [5] && calls.map(\.with_address) == [5])
      for number in 0..<6 { #expect(try await receiver.next().value?.bytes == Bytes("\(number)")) }
      sender.close()
      await expectError(.badDescriptor, of: try await sender.send(Array(list[..<6])).value)
      #expect(calls.count == 1)
      receiver.close()
    }
  }
}
