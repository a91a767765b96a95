import CTestHooks
import Foundation
import Testing
import UV
import UVTestSupport

/// What faults have found, one test each.
@Suite(.serialized) struct RegressionTests {
  private static let libuv = Int32(TEST_FAULT_LIBUV.rawValue)
  private static let allocator = Int32(TEST_FAULT_ALLOCATOR.rawValue)
  private static let system = Int32(TEST_FAULT_SYSTEM.rawValue)

  @Test("A loop that cannot be made leaves no descriptor and no memory")
  func aLoopThatCannotBeMade() async throws {
    guard test_faults_reach(Self.system) != 0 else { return }
    try await withThread {
      for name in ["epoll_create1", "pipe2", "eventfd"] {
        for nth in 1...2 {
          for round in 0..<20 {
            let before = Hooks.heapInUse ?? 0
            test_faults_arm(EMFILE, Self.system, nth, 1, name)
            let code: UVError.Code?
            do throws(UVError) {
              try EventLoop().shutdown()
              code = nil
            } catch { code = error.code }
            let fired = test_faults_disarm() > 0
            #expect(code == (fired ? .tooManyOpenFiles : nil), "\(name) \(nth)")
            // libuv itself loses its table of descriptors, about a kilobyte, where it gives up half-way.
            if round > 2 { #expect((Hooks.heapInUse ?? 0) - before < 4096, "\(name) \(nth)") }
          }
        }
      }
    }
  }

  @Test("A write for which libuv has no memory ends, and does not keep the loop running")
  func aWriteWithoutMemory() async throws {
    let log = Log<UVError.Code?>()
    try await withPair { loop, client, server in
      let buffers = (0..<100).map { Bytes("\($0) ") }
      // Not told yet of this one's end, the stream gathers the next.
      client.write("before it, ") { _ in }
      test_faults_arm(ENOMEM, Self.allocator, 1, 1, "malloc")
      client.write(buffers) { log.append($0.error?.code) }
      while log.values.isEmpty { try await loop.sleep(for: .zero).value }
      #expect(test_faults_disarm() == 1)
      // Nothing of it had left, so the stream is whole, and goes on.
      try await client.write("after it").value
      #expect(try await server.read(exactly: 19).value == "before it, after it")
    }
    #expect(log.values == [.outOfMemory])
  }

  @Test("After bytes that were lost nothing more is written, and no end is asked for")
  func nothingFollowsAHole() async throws {
    let log = Log<String>()
    try await withPair { loop, client, server in
      func note(_ what: String) -> (Result<Void, UVError>) -> Void {
        { log.append("\(what) \($0.error?.name ?? "ok")") }
      }
      // The system takes a part, and libuv has no room for the rest.
      test_faults_arm(ENOMEM, Self.libuv, 1, 1, "uv_write2")
      client.write(Bytes(repeating: 1, count: 16 << 20), note("begun"))
      #expect(client.writeQueueSize < 16 << 20)
      client.write("queued", note("queued"))
      while log.values.count < 2 { try await loop.sleep(for: .zero).value }
      #expect(test_faults_disarm() == 1)
      client.write("later", note("later"))
      client.shutdown(note("shutdown"))
      while log.values.count < 4 { try await loop.sleep(for: .zero).value }
      #expect(!client.isWritable)
      #expect(client.writeQueueSize == 0)
      client.closeReset()
      var received = 0
      var isIntact = true
      while let part = try? await server.read().value {
        isIntact = isIntact && part == Bytes(repeating: 1, count: part.count)
        received += part.count
      }
      #expect(isIntact)
      #expect(received > 0)
      #expect(received < 16 << 20)
    }
    #expect(log.values == ["begun ENOMEM", "queued ENOMEM", "later ENOMEM", "shutdown ENOMEM"])
  }

  @Test("A file is written whole, whatever the system takes at a time", .rule(15))
  func shortWritesOfFiles() async throws {
    guard test_faults_reach(Self.system) != 0 else { return }
    try await withTemporaryDirectory { directory in
      try await withLoop { loop in
        let bytes = Bytes((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 8) })
        for offset in [nil, 0, 10] as [Int64?] {
          let path = "\(directory)/\(offset ?? -1)"
          let file = try await loop.files.open(path, .readWrite, options: [.create]).value
          test_faults_arm(TEST_FAULT_SHORT, Self.system, 1, 5, offset == nil ? "write" : "pwrite64")
          try await file.write(bytes, at: offset).value
          #expect(test_faults_disarm() == 5)
          #expect(try await file.read(200_000, at: offset ?? 0).value == bytes)
          try await file.close().value
        }
        for atomically in [false, true] {
          test_faults_arm(TEST_FAULT_SHORT, Self.system, 1, 5, "write")
          try await loop.files.writeFile("\(directory)/whole", bytes, atomically: atomically).value
          #expect(test_faults_disarm() == 5)
          test_faults_arm(TEST_FAULT_SHORT, Self.system, 1, 5, "read")
          #expect(try await loop.files.readFile("\(directory)/whole").value == bytes)
          #expect(test_faults_disarm() == 5)
        }
      }
    }
  }

  @Test("A read of a file that a signal interrupts begins again")
  func interruptedReads() async throws {
    guard test_faults_reach(Self.system) != 0 else { return }
    try await withTemporaryDirectory { directory in
      try await withLoop { loop in
        try await loop.files.writeFile("\(directory)/f", "0123456789").value
        let file = try await loop.files.open("\(directory)/f").value
        for offset in [nil, 3] as [Int64?] {
          test_faults_arm(EINTR, Self.system, 1, 3, offset == nil ? "read" : "pread64")
          #expect(try await file.read(5, at: offset).value == (offset == nil ? "01234" : "34567"))
          #expect(test_faults_disarm() == 3)
        }
        try await file.close().value
      }
    }
  }

  @Test("What a peer wrote before it closed is read to its end, handles and all", arguments: [1, 2, 3, 10])
  func nothingIsLostAtTheEndOfAChannel(count: Int) async throws {
    try await withLoop { loop in
      let (near, far) = try loop.pipes.socketPair(passesHandles: true)
      for number in 0..<count {
        let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
        try await near.write(Bytes("\(number % 10)"), passing: socket).value
        try await socket.close().value
      }
      try await near.write(" and no handle").value
      try await near.close().value
      var text = ""
      var handles = 0
      while let bytes = try await far.read().value {
        text += bytes.description
        while far.pendingHandleCount > 0 {
          try far.acceptUDPSocket().close()
          handles += 1
        }
      }
      #expect(text == (0..<count).map { "\($0 % 10)" }.joined() + " and no handle")
      #expect(handles == count)
      far.close()
    }
  }

  @Test("Whoever closes a handle while its loop shuts down is told of its end")
  func closingDuringAShutdown() async throws {
    let log = Log<Bool>()
    try await withThread {
      let loop = try EventLoop()
      // Nobody waits for these, before the last is closed.
      let idle = try (0..<5).map { _ in try loop.udp.bind(host: "127.0.0.1", port: 0) }
      let last = try loop.udp.bind(host: "127.0.0.1", port: 0)
      last.next { _ in for socket in idle { socket.close { log.append($0.error == nil) } } }
      loop.shutdown()
    }
    #expect(log.values == [true, true, true, true, true])
  }
}
