import Foundation
import Testing
import UV
import UVTestSupport

@Suite struct PipeTests {
  @Test func asyncEcho() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/echo"
      try await withLoop { loop in
        let listener = try loop.pipes.listen(path: path)
        let server = loop.spawn { () async throws(UVError) in
          let connection = try await listener.accept().value
          for try await chunk in connection { try await connection.write(chunk).value }
        }
        let client = try await loop.pipes.connect(path: path).value
        for i in 0..<100 {
          try await client.write(Bytes("message \(i)")).value
          #expect(try await client.next().value == Bytes("message \(i)"))
        }
        try await client.shutdown().value
        #expect(try await client.next().value == nil)
        try await server.value
        #expect(FileManager.default.fileExists(atPath: path))
        try await listener.close().value
        #expect(!FileManager.default.fileExists(atPath: path))
      }
    }
  }

  @Test func callbackEcho() async throws {
    let log = Log<Bytes?>()
    try await withTemporaryDirectory { directory in
      try await withCallbackLoop { loop in
        let listener = try loop.pipes.listen(path: directory + "/echo")
        echoWithCallbacks(listener, loop.pipes.connect(path: directory + "/echo"), log)
      }
    }
    #expect(log.values == ["hello", nil])
  }

  @Test func names() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/names"
      try await withLoop { loop in
        let listener = try loop.pipes.listen(path: FilePath(path))
        let client = try await loop.pipes.connect(path: path).value
        let server = try await listener.accept().value
        #expect(try listener.localPath() == FilePath(path))
        #expect(try server.localPath() == FilePath(path))
        #expect(try client.peerPath() == FilePath(path))
        #expect(try client.localPath() == nil)
        #expect(try server.peerPath() == nil)
        client.close()
        #expect(throws: UVError(.badDescriptor, operation: "pipe_getsockname")) { try client.localPath() }
        server.close()
        listener.close()
      }
    }
  }

  @Test func chmodOpensTheSocketToOthers() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/mode"
      try await withLoop { loop in
        let listener = try loop.pipes.listen(path: path)
        try await loop.files.chmod(path, [.ownerReadWrite]).value
        try listener.chmod(.write)
        #expect(
          try await loop.files.stat(path).value.permissions == [.ownerReadWrite, .groupWrite, .otherWrite])
        try listener.chmod([.read, .write])
        #expect(
          try await loop.files.stat(path).value.permissions == [
            .ownerReadWrite, .groupReadWrite, .otherReadWrite,
          ])
        #expect(throws: UVError(.invalidArgument, operation: "pipe_chmod")) { try listener.chmod([]) }
        #expect(throws: UVError(.invalidArgument, operation: "pipe_chmod")) { try listener.chmod(.execute) }
        listener.close()
      }
    }
  }

  /// Fact 11 of libuv's: `uv_pipe_bind` cuts a long path short, and binds what is left.
  @Test(.onTheMachine("a file outside of the loop")) func fact11APathThatIsTooLongIsRefused() async throws {
    try await withTemporaryDirectory { directory in
      try #require(directory.utf8.count < 106, "too long for the path of a socket: choose a shorter TMPDIR")
      let fits = directory + "/" + String(repeating: "p", count: 106 - directory.utf8.count)
      #expect(fits.utf8.count == 107)
      try await withLoop { loop in
        let listener = try loop.pipes.listen(path: fits)
        #expect(try listener.localPath() == FilePath(fits))
        let connect = loop.pipes.connect(path: fits)
        let client = try await connect.value
        client.close()
        listener.close()
        for tooLong in [fits + "p", fits + String(repeating: "é", count: 100)] {
          await expectError(.nameTooLong, of: try loop.pipes.listen(path: tooLong))
          let connect = loop.pipes.connect(path: tooLong)
          await expectError(.nameTooLong, of: try await connect.value)
        }
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
    }
  }

  @Test(arguments: ["", "\0", "/tmp/a\0b"]) func aPathThatIsNone(path: String) async throws {
    try await withLoop { loop in
      await expectError(.invalidArgument, of: try loop.pipes.listen(path: path))
      let connect = loop.pipes.connect(path: path)
      await expectError(.invalidArgument, of: try await connect.value)
    }
  }

  @Test func pathsThatCannotBeUsed() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/used"
      try await withLoop { loop in
        let listener = try loop.pipes.listen(path: path)
        await expectError(.addressInUse, of: try loop.pipes.listen(path: path))
        // The failed one leaves the file of the other.
        #expect(FileManager.default.fileExists(atPath: path))
        await expectError(.permissionDenied, of: try loop.pipes.listen(path: directory + "/nowhere/at/all"))
        await expectError(
          .invalidArgument, of: try loop.pipes.listen(path: directory + "/backlog", backlog: 0))
        let nowhere = loop.pipes.connect(path: directory + "/nowhere")
        await expectError(.noSuchFile, of: try await nowhere.value)
        try await loop.files.writeFile(directory + "/file", "no socket").value
        let file = loop.pipes.connect(path: directory + "/file")
        await expectError(.connectionRefused, of: try await file.value)
        listener.close()
      }
    }
  }

  @Test func cancellingAConnectAndClosingAListenerThatSomebodyWaitsFor() async throws {
    try await withLoopAndDirectory { loop, directory in
      let listener = try loop.pipes.listen(path: directory + "/listener")
      for _ in 0..<20 {
        let task = loop.spawn { () async throws(UVError) in
          try await loop.pipes.connect(path: directory + "/listener").value
        }
        task.cancel()
        await expectError(.cancelled, of: try await task.value)
        let log = Log<UVError.Code?>()
        let pending = loop.pipes.connect(path: directory + "/listener") { log.append($0.error?.code) }
        pending.cancel()
        while log.values.isEmpty { try await loop.sleep(for: .zero).value }
        #expect(log.values == [.cancelled])
      }
      let waiting = loop.spawn { () async throws(UVError) in try await listener.accept().value }
      // The connections that were given up, first.
      while let connection = try? await waiting.value { connection.close(); break }
      while loop.statistics.handles > 1 { try await loop.sleep(for: .zero).value }
      try await listener.close().value
      await expectError(.cancelled, of: try await listener.accept().value)
    }
  }

  @Test func aPipeCarriesOneWayAndEndsWhenItsWriterCloses() async throws {
    try await withLoop { loop in
      let (reading, writing) = try loop.pipes.pair()
      #expect(reading.isReadable && !reading.isWritable)
      #expect(writing.isWritable && !writing.isReadable)
      await expectError(.brokenPipe, of: try await reading.write("x").value)
      await expectError(.notConnected, of: try await writing.next().value)
      let bytes = Bytes((0..<(1 << 18)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
      let writer = loop.spawn { () async throws(UVError) in
        try await writing.write(bytes).value
        writing.close()
      }
      var received: [UInt8] = []
      for try await chunk in reading { received += chunk }
      #expect(Bytes(received) == bytes)
      try await writer.value
      reading.close()
    }
  }

  @Test func aReaderThatGoesBreaksThePipe() async throws {
    try await withLoop { loop in
      let (reading, writing) = try loop.pipes.pair()
      try await reading.close().value
      await expectError(.brokenPipe, of: try await writing.write("x").value)
      writing.close()
    }
  }

  @Test func aSocketPairCarriesBothWaysAndIsHalfClosed() async throws {
    try await withLoop { loop in
      let (first, second) = try loop.pipes.socketPair()
      try await first.write("question").value
      try await first.shutdown().value
      #expect(try await second.next().value == "question")
      #expect(try await second.next().value == nil)
      try await second.write("answer").value
      #expect(try await first.next().value == "answer")
      second.close()
      #expect(try await first.next().value == nil)
      first.close()
    }
  }

  @Test func closingInTheMiddleOfEveryOperation() async throws {
    try await withLoop { loop in
      let (first, second) = try loop.pipes.socketPair()
      let big = Bytes(repeating: 1, count: 16 << 20)
      let read = loop.spawn { () async throws(UVError) in try await first.next().value }
      let write = loop.spawn { () async throws(UVError) in try await first.write(big).value }
      for _ in 0..<5 { try await loop.sleep(for: .zero).value }
      let shutdown = loop.spawn { () async throws(UVError) in try await first.shutdown().value }
      try await loop.sleep(for: .zero).value
      first.close()
      await expectError(.cancelled, of: try await read.value)
      await expectError(.cancelled, of: try await write.value)
      await expectError(.cancelled, of: try await shutdown.value)
      second.close()
    }
  }

  @Test(.onTheMachine("mkfifo")) func takingOverADescriptor() async throws {
    try await withLoopAndDirectory { loop, directory in
      let (file, fifo) = (directory + "/file", directory + "/fifo")
      try await loop.files.writeFile(file, "contents").value
      let descriptor = Foundation.open(file, O_RDONLY)
      // libuv would end the program over a file that it cannot poll.
      await expectError(.invalidArgument, of: try loop.pipes.open(fileDescriptor: descriptor))
      #expect(fcntl(descriptor, F_GETFD) >= 0)
      Foundation.close(descriptor)
      await expectError(.badDescriptor, of: try loop.pipes.open(fileDescriptor: descriptor))
      #expect(mkfifo(fifo, 0o600) == 0)
      let ends = (
        Foundation.open(fifo, O_RDONLY | O_NONBLOCK), Foundation.open(fifo, O_WRONLY | O_NONBLOCK)
      )
      let reading = try loop.pipes.open(fileDescriptor: ends.0)
      let writing = try loop.pipes.open(fileDescriptor: ends.1)
      await expectFailure(.fileExists) { () async throws(UVError) in
        try await writing.write("x").value
        _ = try await reading.next().value
        let read = loop.spawn { () async throws(UVError) in try await reading.next().value }
        try await loop.sleep(for: .zero).value
        defer { read.cancel() }
        return try loop.pipes.open(fileDescriptor: ends.0)
      }
      await expectError(.notSocket, of: try reading.localPath())
      reading.close()
      writing.close()
    }
  }
}
