import Foundation
import Testing
import UV
import UVTestSupport

/// Standard streams that are one and the same socket: its blocking mode is given back when the last of them has closed, in
/// whatever order, and not before.
@Suite(.serialized, .onTheMachine("processes that end")) struct SharedStandardStreamTests {
  /// Descriptors that are one socket, and the order in which their streams close.
  static let orders: [[Int32]] = [
    [0], [0, 1], [1, 0], [1, 2], [2, 0], [0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1],
  ]

  /// How the streams end.
  enum End: Int, CaseIterable { case closed, shutDown }

  private static func isNonblocking(_ descriptor: Int32) -> Bool {
    fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0
  }

  private static func stream(_ loop: EventLoop, _ descriptor: Int32) throws(UVError) -> ByteStream {
    switch descriptor {
    case 0: try loop.standardInput
    case 1: try loop.standardOutput
    default: try loop.standardError
    }
  }

  /// Checks in a process of its own, whose end is the answer.
  fileprivate static func check(_ order: [Int32], _ end: End, isNonblocking: Bool) throws {
    var ends: [Int32] = [-1, -1]
    precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    for descriptor in order { precondition(dup2(ends[0], descriptor) == descriptor) }
    if isNonblocking { _ = fcntl(order[0], F_SETFL, fcntl(order[0], F_GETFL) | O_NONBLOCK) }
    let loop = try EventLoop()
    let (order, far) = (order, ends[1])
    try loop.run { loop in
      // Opened in the other order than they are closed.
      for descriptor in order.reversed() { _ = try stream(loop, descriptor) }
      guard self.isNonblocking(order[0]) else { exit(2) }
      if end == .shutDown { return }
      for (number, descriptor) in order.enumerated() {
        try await stream(loop, descriptor).close().value
        let isLast = number == order.count - 1
        if self.isNonblocking(descriptor) != (!isLast || isNonblocking) { exit(Int32(10 + number)) }
        if isLast { break }
        // The others work on, and don't block the loop.
        let other = try stream(loop, order[number + 1])
        let written = Log<Bool>()
        other.write(Bytes(repeating: 1, count: 4 << 20)) { written.append($0.error == nil) }
        try await loop.sleep(for: .zero).value
        guard written.values.isEmpty, other.writeQueueSize > 0 else { exit(Int32(20 + number)) }
        // The peer reads it all.
        let peer = try loop.pipes.open(fileDescriptor: dup(far))
        guard try await peer.read(exactly: 4 << 20).value?.count == 4 << 20 else { exit(Int32(30 + number)) }
        try await loop.until { !written.values.isEmpty }
        guard written.values == [true] else { exit(Int32(40 + number)) }
        peer.close()
      }
    }
    loop.shutdown()
    if self.isNonblocking(order[0]) != isNonblocking { exit(50) }
    exit(0)
  }

  @Test(arguments: orders.indices, End.allCases)
  func `A socket that several share is blocking again when the last has closed`(order: Int, end: End) async {
    await #expect(processExitsWith: .success) { [order = order as Int, end = end.rawValue as Int] in
      try SharedStandardStreamTests.check(
        SharedStandardStreamTests.orders[order], End(rawValue: end)!, isNonblocking: false)
    }
  }

  @Test func `A socket that wasn't blocking before isn't afterwards`() async {
    await #expect(processExitsWith: .success) {
      try SharedStandardStreamTests.check([0, 1], .closed, isNonblocking: true)
    }
  }
}
