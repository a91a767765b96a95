import Foundation
import Testing
import UV
import UVTestSupport

@Suite struct PollTests {
  /// Two connected descriptors of the test's own.
  private static func sockets() -> (Int32, Int32) {
    var pair: [Int32] = [-1, -1]
    #if os(Linux)
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #else
    let type = SOCK_STREAM
    #endif
    #expect(socketpair(AF_UNIX, type, 0, &pair) == 0)
    return (pair[0], pair[1])
  }

  @Test func readableWritableAndDisconnected() async throws {
    try await withLoop { loop in
      let (ours, theirs) = Self.sockets()
      let writable = try loop.poll(ours, for: .writable)
      #expect(try await writable.next().value == .writable)
      try await writable.close().value
      let readable = try loop.poll(ours, for: [.readable, .disconnect])
      let waiting = loop.spawn { () async throws(UVError) in try await readable.next().value }
      for _ in 0..<10 { try await loop.sleep(for: .zero).value }
      #expect(write(theirs, "x", 1) == 1)
      #expect(try await waiting.value == .readable)
      // It is reported until somebody reads.
      #expect(try await readable.next().value == .readable)
      var byte: UInt8 = 0
      #expect(read(ours, &byte, 1) == 1)
      Foundation.close(theirs)
      #expect(try await readable.next().value == [.readable, .disconnect])
      readable.close()
      Foundation.close(ours)
    }
  }

  @Test(.onTheMachine("urgent bytes")) func urgentBytesArePrioritized() async throws {
    try await withPair { loop, client, server in
      let watcher = try loop.poll(client.fileDescriptor(), for: .prioritized)
      #expect(send(try server.fileDescriptor(), "!", 1, Int32(MSG_OOB)) == 1)
      #expect(try await watcher.next().value == .prioritized)
      watcher.close()
    }
  }

  @Test func withAHandlerAndWithAnIterator() async throws {
    try await withLoop { loop in
      let (ours, theirs) = Self.sockets()
      let watcher = try loop.poll(ours, for: .readable)
      let log = Log<PollEvents?>()
      #expect(write(theirs, "xyz", 3) == 3)
      watcher.start { result in
        log.append(try? result.get())
        var byte: UInt8 = 0
        read(ours, &byte, 1)
        if byte == UInt8(ascii: "z") { watcher.stop() }
      }
      while watcher.isActive { try await loop.sleep(for: .zero).value }
      #expect(log.values == [.readable, .readable, .readable])
      #expect(write(theirs, "xy", 2) == 2)
      for try await events in watcher {
        #expect(events == .readable)
        var byte: UInt8 = 0
        read(ours, &byte, 1)
        if byte == UInt8(ascii: "y") { break }
      }
      for _ in 0..<5 { try await loop.sleep(for: .zero).value }
      #expect(!watcher.isActive)
      watcher.close()
      Foundation.close(ours)
      Foundation.close(theirs)
    }
  }

  /// To libuv, one that is closed while it is polled ends the program, or polls whatever has its number next.
  /// The watcher has a descriptor of its own.
  @Test(.rule(57)) func `A descriptor may be closed while it is polled`() async throws {
    try await withLoop { loop in
      let (ours, theirs) = Self.sockets()
      let watcher = try loop.poll(ours, for: .readable)
      let waiting = loop.spawn { () async throws(UVError) in try await watcher.next().value }
      try await loop.sleep(for: .zero).value
      Foundation.close(ours)
      // The number is another's now, of a kind that cannot be polled.
      let file = try await loop.files.open("/etc/passwd").value
      for _ in 0..<5 { try await loop.sleep(for: .zero).value }
      #expect(write(theirs, "x", 1) == 1)
      #expect(try await waiting.value == .readable)
      #expect(try await watcher.next().value == .readable)
      try await watcher.close().value
      // Only now has the socket gone.
      #expect(write(theirs, "x", 1) == -1)
      Foundation.close(theirs)
      try await file.close().value
    }
  }

  @Test(.rule(57)) func `An error on the descriptor is reported as EBADF, and ends polling`() async throws {
    try await withLoop { loop in
      var ends: [Int32] = [-1, -1]
      #expect(pipe(&ends) == 0)
      let watcher = try loop.poll(ends[1], for: .writable)
      #expect(try await watcher.next().value == .writable)
      Foundation.close(ends[0])
      await expectFailure(.badDescriptor) { () async throws(UVError) in
        // What was ready before the reader went may be reported first.
        while try await watcher.next().value != nil {}
      }
      await expectError(.badDescriptor, of: try await watcher.next().value)
      watcher.close()
      Foundation.close(ends[1])
    }
  }

  @Test func whatCannotBePolled() async throws {
    try await withLoop { loop in
      let file = Foundation.open("/etc/passwd", O_RDONLY | O_CLOEXEC)
      do throws(UVError) {
        _ = try loop.poll(file, for: .readable)
        Issue.record("a file was polled")
      } catch {
        #expect(error.code == .notPermitted)
        #expect(error.description == "poll_init descriptor \(file) (file): operation not permitted (EPERM)")
      }
      Foundation.close(file)
      await expectError(.badDescriptor, of: try loop.poll(file, for: .readable))
      await expectError(.badDescriptor, of: try loop.poll(-1, for: .readable))
      for events in [[], PollEvents(rawValue: 64)] as [PollEvents] {
        await expectError(.invalidArgument, of: try loop.poll(0, for: events))
      }
      #expect(loop.statistics.handles == 0)
    }
  }

  @Test func closingCancellingAndDropping() async throws {
    try await withLoop { loop in
      let (ours, theirs) = Self.sockets()
      let watcher = try loop.poll(ours, for: .readable)
      let first = loop.spawn { () async throws(UVError) in try await watcher.next().value }
      let second = loop.spawn { () async throws(UVError) in try await watcher.next().value }
      try await loop.sleep(for: .zero).value
      first.cancel()
      await expectError(.cancelled, of: try await first.value)
      watcher.close()
      watcher.close()
      #expect(try await second.value == nil)
      // Several may watch the same descriptor; dropping the last reference closes each.
      for _ in 0..<10 { _ = try loop.poll(ours, for: .readable) }
      Foundation.close(ours)
      Foundation.close(theirs)
      while loop.statistics.handles > 0 { try await loop.sleep(for: .zero).value }
    }
  }
}
