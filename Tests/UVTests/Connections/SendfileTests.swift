import Testing
import UVTestSupport

@testable import UV

@Suite struct SendfileTests {
  /// Bytes that are not the same everywhere.
  static func pattern(_ count: Int) -> Bytes {
    let block = (0..<65521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += block }
    return Bytes(bytes[..<count])
  }

  @Test func `A connection is of no use to others before a file that is sent to it has left`() async throws {
    try await withLoopAndDirectory { loop, directory in
      try await loop.files.writeFile("\(directory)/a", "bytes").value
      let file = try await loop.files.open("\(directory)/a").value
      let (near, far) = try loop.pipes.socketPair()
      #expect(near.isReusable)
      let log = Log<Int?>()
      try await withBusyPool(of: loop) {
        near.sendfile(file, count: 5) { log.append($0.value) }
        #expect(!near.isReusable)
      }
      #expect(try await far.read(exactly: 5).value == "bytes")
      try await loop.until { log.values == [5] }
      #expect(near.isReusable)
      for stream in [near, far] { stream.close() }
      try await file.close().value
    }
  }

  @Test func fromFileToFile() async throws {
    try await withLoopAndDirectory { loop, directory in
      let bytes = Self.pattern(300_000)
      try await loop.files.writeFile("\(directory)/a", bytes).value
      let source = try await loop.files.open("\(directory)/a").value
      let target = try await loop.files.open("\(directory)/b", .readWrite, options: .create).value
      #expect(try await source.sendfile(to: target, count: 100).value == 100)
      // At the target's position, and from the one that is passed.
      #expect(try await source.sendfile(to: target, from: 100, count: 1 << 30).value == 299_900)
      #expect(try await source.sendfile(to: target, from: 300_000, count: 1).value == 0)
      #expect(try await loop.files.readFile("\(directory)/b").value == bytes)
      await expectError(.badDescriptor, of: try await target.sendfile(to: source, count: 1).value)
      await expectError(.invalidArgument, of: try await source.sendfile(to: target, count: 0).value)
      await expectError(
        .invalidArgument, of: try await source.sendfile(to: target, from: -1, count: 1).value)
      try await source.close().value
      await expectError(.badDescriptor, of: try await source.sendfile(to: target, count: 1).value)
      await expectError(.badDescriptor, of: try await target.sendfile(to: source, count: 1).value)
      try await target.close().value
    }
  }

  @Test func `A stream that is a file takes the file that is being sent before it closes`() async throws {
    try await withLoopAndDirectory { loop, directory in
      try await loop.files.writeFile("\(directory)/a", "0123456789").value
      let source = try await loop.files.open("\(directory)/a").value
      let stream = try FileStream(
        try await loop.files.open("\(directory)/b", .writeOnly, options: .create).value)
      let log = Log<Int>()
      stream.sendfile(source, count: 10) { log.append($0.value ?? -1) }
      try await stream.close().value
      #expect(log.values == [10])
      #expect(try await loop.files.readFile("\(directory)/b").value == "0123456789")
      try await source.close().value
    }
  }

  @Test func `A write to a stream that is a file ends with a timeout, and the file takes it`()
    async throws
  {
    try await withLoopAndDirectory { loop, directory in
      let stream = try FileStream(
        try await loop.files.open("\(directory)/a", .writeOnly, options: .create).value)
      stream.writeTimeout = .milliseconds(5)
      let log = Log<UVError.Code?>()
      try await withBusyPool(of: loop) {
        stream.write("late") { log.append($0.error?.code) }
        try await loop.until { !log.values.isEmpty }
      }
      #expect(log.values == [.timedOut])
      try await stream.close().value
      #expect(try await loop.files.readFile("\(directory)/a").value == "late")
    }
  }

  /// Reads a connection to its end.
  nonisolated(nonsending) func readAll(_ connection: TCPConnection) async throws -> Bytes {
    var all: [UInt8] = []
    for try await chunk in connection { chunk.withUnsafeBytes { all.append(contentsOf: $0) } }
    return Bytes(all)
  }

  /// More than the socket takes, so that it has to wait for its reader; what is written meanwhile comes
  /// after.
  @Test func fromFileToConnection() async throws {
    try await withTemporaryDirectory { directory in
      try await withPair { loop, client, server in
        let bytes = Self.pattern(24 << 20)
        try await loop.files.writeFile("\(directory)/a", bytes).value
        let file = try await loop.files.open("\(directory)/a").value
        let log = Log<String>()
        try await client.write("begin").value
        client.sendfile(file, from: 5, count: bytes.count) { log.append("sent \($0.value ?? -1)") }
        client.sendfile(file, count: 1) { log.append($0.error?.name ?? "ok") }
        client.write("end") { log.append("written \($0.error?.name ?? "ok")") }
        client.shutdown { log.append("shut down \($0.error?.name ?? "ok")") }
        let all = try await readAll(server)
        #expect(all.count == bytes.count + 3)
        #expect(Bytes(all[0..<5]) == "begin")
        #expect(Bytes(all[5..<(bytes.count)]) == Bytes(bytes[5...]))
        #expect(Bytes(all[(all.count - 3)...]) == "end")
        #expect(log.values == ["EBUSY", "sent \(bytes.count - 5)", "written ok", "shut down ok"])
      }
    }
  }

  @Test(.onTheMachine("a file of an earlier loop")) func aConnectionThatClosesOrIsReset() async throws {
    try await withTemporaryDirectory { directory in
      try await withPair { loop, client, server in
        try await loop.files.writeFile("\(directory)/a", Self.pattern(24 << 20)).value
        let file = try await loop.files.open("\(directory)/a").value
        let log = Log<UVError.Code?>()
        client.sendfile(file, count: 24 << 20) { log.append($0.error?.code) }
        _ = try await server.next().value
        client.close()
        try await loop.until { !log.values.isEmpty }
        #expect(log.values == [.cancelled])
        await expectError(.badDescriptor, of: try await client.sendfile(file, count: 1).value)
      }
      try await withPair { loop, client, server in
        let file = try await loop.files.open("\(directory)/a").value
        let sending = loop.spawn { () async throws(UVError) in
          try await client.sendfile(file, count: 24 << 20).value
        }
        _ = try await server.next().value
        server.closeReset()
        await expectError(.connectionReset, .brokenPipe, of: try await sending.value)
      }
    }
  }

  @Test("A connection that has sent a file closes when it is dropped, though the pending request is kept")
  func aKeptPendingRequest() async throws {
    try await withLoopAndDirectory { loop, directory in
      try await loop.files.writeFile("\(directory)/a", "file").value
      let file = try await loop.files.open("\(directory)/a").value
      let log = Log<Int?>()
      func send() throws -> (PendingRequest, PipeConnection) {
        let (near, far) = try loop.pipes.socketPair()
        return (near.sendfile(file, count: 4) { log.append($0.value) }, far)
      }
      let (pending, far) = try send()
      #expect(try await far.readToEnd(limit: 10).timeout(after: .seconds(10)).value == "file")
      #expect(log.values == [4])
      pending.cancel()
      far.close()
    }
  }

  @Test func aSenderThatIsCancelled() async throws {
    try await withTemporaryDirectory { directory in
      try await withPair { loop, client, server in
        try await loop.files.writeFile("\(directory)/a", Self.pattern(24 << 20)).value
        let file = try await loop.files.open("\(directory)/a").value
        await expectError(
          .timedOut,
          of: try await client.sendfile(file, count: 24 << 20).timeout(after: .milliseconds(5)).value)
        // The connection goes on, after what had been sent.
        client.write("end") { _ in }
        client.shutdown { _ in }
        let all = try await readAll(server)
        #expect(all.count < 24 << 20)
        #expect(Bytes(all[(all.count - 3)...]) == "end")
      }
    }
  }
}
