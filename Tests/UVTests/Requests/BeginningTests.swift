import Testing
import UV
import UVTestSupport

/// When work begins: what the compiler lets a program ignore has begun, anything else begins when it is used.
/// `NameTests` reads in the listing of the API which methods those are.
@Suite struct BeginningTests {
  @Test func `A request that nobody uses does nothing`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let (old, new) = ("\(directory)/old", "\(directory)/new")
      try await loop.files.writeFile(old, "text").value
      let file = try await loop.files.open(old, .readWrite).value
      let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let server = try await listener.accept().value
      let worked = Log<Int>()
      _ = loop.files.writeFile(new, "x")
      _ = loop.files.mkdir(new)
      _ = loop.files.symlink(to: old, at: new)
      _ = loop.files.rename(old, to: new)
      _ = loop.files.unlink(old)
      _ = file.write("longer than it was")
      _ = file.truncate(to: 0)
      _ = client.write("lost")
      _ = client.shutdown()
      _ = socket.send("lost", to: try socket.localAddress())
      _ = try loop.tcp.connect(to: listener.localAddress())
      _ = loop.work { worked.append(1) }
      _ = loop.work { worked.append(2) }.timeout(after: .seconds(1))
      _ = loop.work { worked.append(3) }.map { worked.append(4) }
      for _ in 0..<10 { try await loop.sleep(for: .milliseconds(1)).value }
      #expect(try await loop.files.scandir(directory).value.map(\.name.string) == ["old"])
      #expect(try await loop.files.readFile(old).value == "text")
      #expect(worked.values.isEmpty)
      #expect(client.writeQueueSize == 0)
      #expect(socket.sendQueueCount == 0)
      client.close()
      #expect(try await server.readToEnd(limit: 100).value.isEmpty)
      for handle in [server, listener, socket] as [Handle] { handle.close() }
      file.close()
    }
  }

  @Test func `What ends a thing begins at once, also if nobody waits for its end`() async throws {
    try await withLoopAndDirectory { loop, directory in
      try await loop.files.writeFile("\(directory)/f", "text").value
      let file = try await loop.files.open("\(directory)/f").value
      let folder = try await loop.files.opendir(directory).value
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let server = try await listener.accept().value
      let pool = Pool(loop.tcp.connect(to: try listener.localAddress()))
      client.closeReset()
      listener.close()
      pool.close()
      file.close()
      folder.close()
      #expect(client.isClosing)
      #expect(listener.isClosing)
      await expectError(.connectionReset, of: try await server.next().value)
      await expectError(.badDescriptor, of: try await file.read(1, at: 0).value)
      do {
        _ = try await pool.lease().value
        Issue.record("a closed pool lends nothing")
      } catch {}
      // A later waiter for the end learns of it.
      try await client.close().value
      try await listener.close().value
      try await pool.close().value
      try await file.close().value
      try await folder.close().value
      server.close()
    }
  }
}
