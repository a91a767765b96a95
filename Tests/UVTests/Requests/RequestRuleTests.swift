import Testing
import UV
import UVTestSupport

/// Requests and their buffers: rules 10 to 19.
@Suite struct RequestRuleTests {
  @Test(.rule(10)) func `A request that fails gives its memory back`() async throws {
    try await withPair { loop, client, _ in
      try await client.shutdown().value
      let bytes = Bytes(repeating: 1, count: 1000)
      try await expectFlatHeap(rounds: 10_000) { _ in
        await expectError(.brokenPipe, of: try await client.write(bytes).value)
      }
    }
  }

  @Test(.rule(11)) func `What is being written is kept until it has been taken`() async throws {
    try await withPair { loop, client, server in
      let count = 8 << 20
      func fill(_ salt: Int) -> Bytes {
        Bytes(unsafeUninitializedCapacity: count) { buffer in
          for index in 0..<count { buffer.initializeElement(at: index, to: byte(index &+ salt)) }
          return count
        }
      }
      func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: index &* 31 &+ index >> 13) }
      client.write(fill(0)) { _ in }
      // Memory that went too early would be used again, and filled with something else.
      let others = (1...3).map { fill($0) }
      client.shutdown { _ in }
      var position = 0
      var isIntact = true
      for try await part in server {
        for (index, value) in part.enumerated() { isIntact = isIntact && value == byte(position + index) }
        position += part.count
      }
      #expect(isIntact)
      #expect(position == count)
      #expect(others.count == 3)
    }
  }

  @Test(.rule(12)) func `Libuv's copy of a path is freed, also when the operation fails`() async throws {
    let failures = Log<Int>()
    try await withLoop { loop in
      let path = "/nowhere/" + String(repeating: "x", count: 200)
      try await expectFlatHeap(rounds: 100) { _ in
        var failed = 0
        for _ in 0..<1000 { loop.files.open(path) { if $0.error?.code == .noSuchFile { failed += 1 } } }
        while failed < 1000 { try await loop.sleep(for: .zero).value }
        failures.append(failed)
      }
    }
    #expect(failures.values.reduce(0, +) == 100_000)
  }

  @Test(.rule(13)) func `A path may go as soon as the call has returned`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let log = Log<FilePath>()
      for index in 0..<100 {
        // A string too long to lie inside its value, and gone after the call.
        let path = "\(directory)/a-name-that-is-kept-on-the-heap-\(index)"
        loop.files.open(path, .writeOnly, options: [.create]) { result in
          if let file = try? result.get() { log.append(file.path) }
        }
      }
      while log.values.count < 100 { try await loop.sleep(for: .zero).value }
      let names = try await loop.files.scandir(directory).value.map(\.name.string)
      #expect(Set(names) == Set((0..<100).map { "a-name-that-is-kept-on-the-heap-\($0)" }))
      #expect(Set(log.values.map { $0.lastComponent!.string }) == Set(names))
    }
  }

  @Test(.rule(14)) func `A partial write delivers the remainder intact, in order`() async throws {
    try await withPair { loop, client, server in
      let count = 10 << 20
      let bytes = Bytes(unsafeUninitializedCapacity: count) { buffer in
        for index in 0..<count {
          buffer.initializeElement(at: index, to: UInt8(truncatingIfNeeded: index &* 7 &+ index >> 11))
        }
        return count
      }
      client.write(bytes) { _ in }
      client.write("the end") { _ in }
      // The system has taken some of it, and not all.
      #expect(client.writeQueueSize > 0)
      #expect(client.writeQueueSize < count)
      client.shutdown { _ in }
      var received: [UInt8] = []
      received.reserveCapacity(count + 7)
      for try await part in server { received += part }
      #expect(Bytes(received.prefix(count)) == bytes)
      #expect(Bytes(received.dropFirst(count)) == "the end")
    }
  }

  @Test("A short read is known by its length, and a read beyond 1 GiB is refused", .rule(15))
  func shortReads() async throws {
    try await withLoopAndDirectory { loop, directory in
      try await loop.files.writeFile("\(directory)/f", "0123456789").value
      let file = try await loop.files.open("\(directory)/f").value
      #expect(try await file.read(1000, at: 4).value == "456789")
      #expect(try await file.read(1000, at: 10).value.isEmpty)
      #expect(try await file.read(1000, at: 1 << 40).value.isEmpty)
      await expectError(.invalidArgument, of: try await file.read(1 << 30 + 1, at: 0).value)
      try await file.close().value
    }
  }

  @Test(.rule(16)) func `A buffer may be longer than 4 GiB`() async throws {
    try await withPair { loop, client, server in
      // Memory that is never touched costs none: the system reads the same page of zeros over and over.
      let count = 1 << 32 + 8 << 20
      let bytes = Bytes(unsafeUninitializedCapacity: count) { _ in count }
      let log = Log<UVError.Code?>()
      client.write(bytes) { log.append($0.error?.code) }
      let taken = count - client.writeQueueSize
      // Cut to 32 bits, there would be 8 MiB of it, and an end.
      #expect(taken > 0)
      var received = 0
      while received < 24 << 20 {
        guard let part = try await server.next().value else { break }
        received += part.count
      }
      #expect(received >= 24 << 20)
      #expect(log.values.isEmpty)
      #expect(client.writeQueueSize > 0)
      try await client.close().value
      #expect(log.values == [.cancelled])
    }
  }

  @Test("Operations at an offset run side by side and leave the position alone", .rule(17))
  func offsets() async throws {
    try await withLoopAndDirectory { loop, directory in
      let file = try await loop.files.open("\(directory)/f", .readWrite, options: [.create]).value
      // In whatever order the pool takes them.
      let writes = (0..<64).map { index in
        loop.spawn { () async throws(UVError) in
          try await file.write(Bytes(repeating: UInt8(index), count: 100), at: Int64(index * 100)).value
        }
      }
      for write in writes { try await write.value }
      #expect(try await file.stat().value.size == 6400)
      for index in 0..<64 {
        #expect(
          try await file.read(100, at: Int64(index * 100)).value
            == Bytes(repeating: UInt8(index), count: 100))
      }
      // A read at an offset has not moved the position; one without does.
      #expect(try await file.read(150).value.first == 0)
      #expect(try await file.read(1).value == [1])
      #expect(try await file.read(100, at: 6400).value.isEmpty)
      await expectError(.invalidArgument, of: try await file.read(1, at: -1).value)
      try await file.close().value
      try await file.close().value
    }
  }

  @Test(.rule(18)) func `A write of nothing succeeds, a read of nothing is refused`() async throws {
    try await withPair { loop, client, server in
      try await client.write(Bytes()).value
      try await client.write([Bytes]()).value
      try await client.write([Bytes(), Bytes()]).value
      let log = Log<UVError.Code?>()
      client.write(Bytes()) { log.append($0.error?.code) }
      client.write("x") { log.append($0.error?.code) }
      #expect(log.values.isEmpty)
      #expect(try await server.next().value == "x")
      while log.values.count < 2 { try await loop.sleep(for: .zero).value }
      #expect(log.values == [nil, nil])
      let file = try await loop.files.open("/dev/null", .readWrite).value
      try await file.write(Bytes(), at: 0).value
      await expectError(.invalidArgument, of: try await file.read(0).value)
      try await file.close().value
    }
  }

  @Test("More buffers than the system takes in one call arrive whole, in order", .rule(19))
  func manyBuffers() async throws {
    try await withPair { loop, client, server in
      let buffers = (0..<5000).map { Bytes("\($0)\n") }
      client.write(buffers) { _ in }
      client.shutdown { _ in }
      var text = ""
      for try await part in server { text += String(decoding: part, as: UTF8.self) }
      #expect(text == (0..<5000).map { "\($0)\n" }.joined())
    }
  }
}
