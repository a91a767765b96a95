import Foundation
import Testing
import UV
import UVTestSupport

/// The poll of a transport's own descriptor, whose events change: it calls its owner for what is watched, and for nothing else.
@Suite struct DescriptorPollTests {
  private final class Owner: DescriptorPollOwner {
    var events: [PollEvents] = []
    var errors = 0
    var closes = 0
    var onReady: (PollEvents) -> Void = { _ in }

    func descriptorIsReady(for events: PollEvents, hasError: Bool) {
      self.events.append(events)
      if hasError { errors += 1 }
      onReady(events)
    }

    func pollWasClosed() { closes += 1 }
  }

  /// Both ends of a socket.
  private static func makePair() -> (near: Int32, far: Int32) {
    var ends: [Int32] = [-1, -1]
    #if os(Linux)
    let kind = Int32(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    return (ends[0], ends[1])
  }

  private static func drain(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 100)
    while recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
  }

  @Test("Its owner hears of what is watched, as it changes, and rests meanwhile") func changes() async throws
  {
    try await withLoop { loop in
      let (near, far) = Self.makePair()
      let owner = Owner()
      let poll = try DescriptorPoll(loop, descriptor: near, owner: owner)
      #expect(poll.events == [] && !poll.isActive)
      #expect(Foundation.send(far, "x", 1, 0) == 1)
      try await loop.settle()
      #expect(owner.events == [])
      for _ in 0..<2 {
        owner.events = []
        try poll.watch(for: .readable)
        try poll.watch(for: .readable)
        #expect(poll.events == .readable && poll.isActive)
        try await loop.until { !owner.events.isEmpty }
        #expect(owner.events.allSatisfy { $0 == .readable })
        // By level: again until it has been read.
        let count = owner.events.count
        try await loop.until { owner.events.count > count }
        try poll.watch(for: [])
        owner.events = []
        #expect(poll.events == [] && !poll.isActive)
        try await loop.settle()
        #expect(owner.events == [])
        // Room to write there is always.
        try poll.watch(for: .writable)
        try await loop.until { !owner.events.isEmpty }
        #expect(owner.events.allSatisfy { $0 == .writable })
        owner.events = []
        try poll.watch(for: [.readable, .writable])
        try await loop.until { owner.events.contains([.readable, .writable]) }
        try poll.watch(for: [])
      }
      Self.drain(near)
      owner.events = []
      try poll.watch(for: .readable)
      try await loop.settle()
      #expect(owner.events == [])
      // The end is readable.
      close(far)
      try await loop.until { owner.events.contains(.readable) }
      poll.end()
      #expect(close(near) == 0)
      owner.events = []
      try await loop.settle()
      #expect(owner.events == [] && owner.closes == 0 && owner.errors == 0)
      // It has ended.
      try poll.watch(for: [.readable, .writable])
      try await loop.settle()
      #expect(owner.events == [])
    }
  }

  @Test("An owner may change the events, or end the poll, when it is called", arguments: [false, true])
  func reentrant(ends: Bool) async throws {
    try await withLoop { loop in
      let (near, far) = Self.makePair()
      let owner = Owner()
      let poll = try DescriptorPoll(loop, descriptor: near, owner: owner)
      owner.onReady = { _ in if ends { poll.end() } else { try? poll.watch(for: []) } }
      #expect(Foundation.send(far, "x", 1, 0) == 1)
      try poll.watch(for: [.readable, .writable])
      try await loop.until { !owner.events.isEmpty }
      try await loop.settle()
      #expect(owner.events.count == 1)
      owner.onReady = { _ in }
      poll.end()
      poll.end()
      close(near)
      close(far)
      try await loop.settle()
      #expect(owner.closes == 0)
    }
  }

  @Test(
    "A poll keeps its owner until it has ended, and says the loop's end to it alone",
    arguments: [false, true])
  func owners(endsByItself: Bool) async throws {
    try await withThread {
      let loop = try EventLoop()
      let (near, far) = Self.makePair()
      weak var weakOwner: Owner?
      var closes: () -> Int = { -1 }
      do {
        let owner = Owner()
        weakOwner = owner
        let poll = try DescriptorPoll(loop, descriptor: near, owner: owner)
        if endsByItself { poll.end() }
        closes = { [weak owner] in owner?.closes ?? -1 }
      }
      if endsByItself {
        while try loop.runNoWait() {}
        #expect(weakOwner == nil)
      } else {
        // It doesn't keep the loop running while it rests.
        #expect(try !loop.runNoWait())
        #expect(weakOwner != nil && closes() == 0)
        let owner = weakOwner
        loop.shutdown()
        #expect(owner?.closes == 1)
      }
      loop.shutdown()
      close(near)
      close(far)
    }
    // The last reference has gone by now.
  }

  @Test("A descriptor that is another handle's, or none, is refused") func refused() async throws {
    try await withLoop { loop in
      let (near, far) = try loop.pipes.socketPair()
      let number = try near.fileDescriptor()
      #expect(throws: UVError(.fileExists, operation: "poll_init", subject: "descriptor \(number)")) {
        try DescriptorPoll(loop, descriptor: number, owner: Owner())
      }
      #expect(throws: UVError.self) { try DescriptorPoll(loop, descriptor: 9999, owner: Owner()) }
      let (own, peer) = Self.makePair()
      let poll = try DescriptorPoll(loop, descriptor: own, owner: Owner())
      // And nobody else takes over its own.
      #expect(throws: UVError.self) { try DescriptorPoll(loop, descriptor: own, owner: Owner()) }
      #expect(throws: UVError.self) { try loop.pipes.open(fileDescriptor: own) }
      poll.end()
      let taken = try loop.pipes.open(fileDescriptor: own)
      taken.close()
      close(peer)
      near.close()
      far.close()
    }
  }
}
