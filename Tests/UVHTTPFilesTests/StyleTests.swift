#if Everything
import Testing
import UVFutures
import UVHTTPFiles
import UVPromises
import UVTLS
import UVTestSupport

/// The styles, and where a file can be sent.
@Suite struct StyleTests {
  @Test("Callbacks, promises and publishers send a file as tasks do", arguments: 0..<4)
  func styles(style: Int) async throws {
    let ends = Log<Bool>()
    try await withFiles(answer: { files, exchange in
      switch style {
      case 0: files.respond(to: exchange) { ends.append($0.error == nil) }
      case 1: files.respond(to: exchange).promise().done { ends.append(true) }.cauterize()
      case 2:
        let kept = Box<AnyCancellable>(nil)
        kept.value = files.respond(to: exchange).publisher().sink { _ in
          ends.append(true)
          kept.value = nil
        } receiveValue: {
        }
      default:
        try? await files.respond(to: exchange).value
        ends.append(true)
      }
    }) { site in
      let large = String(repeating: "a", count: 1_000_000)
      try site.write(large, to: "large")
      for round in 1...3 {
        #expect(try await site.ask("/hello.txt").text == "hello\n")
        #expect(try await site.ask("/large").text == large)
        #expect(try await site.status("/none") == 404)
        try await site.loop.until { ends.values.count == 3 * round }
      }
      #expect(!ends.values.contains(false))
    }
  }

  @Test("The completion isn't called before the function has returned")
  func order() async throws {
    let order = Log<String>()
    try await withFiles(answer: { files, exchange in
      files.respond(to: exchange) { _ in order.append("done") }
      order.append("returned")
    }) { site in
      for _ in 0..<2 { _ = try await site.ask("/hello.txt") }
      try await site.loop.until { order.values.count == 4 }
      #expect(order.values == ["returned", "done", "returned", "done"])
    }
  }

  @Test("A request that is used twice fails the second time, as there is one answer")
  func twice() async throws {
    let codes = Log<UVError.Code?>()
    try await withFiles(answer: { files, exchange in
      let request = files.respond(to: exchange)
      for _ in 0..<2 { codes.append(await code { () async throws(UVError) in try await request.value }) }
    }) { site in
      for _ in 0..<2 { #expect(try await site.ask("/hello.txt").text == "hello\n") }
      try await site.loop.until { codes.values.count == 4 }
      #expect(codes.values == [nil, .alreadyInProgress, nil, .alreadyInProgress])
    }
  }

  @Test("Files go over TLS as over TCP")
  func tls() async throws {
    let certificates = Certificates.shared.directory
    try await withLoopAndDirectory { loop, directory in
      let large = Bytes(repeating: 97, count: 1_000_000)
      try await loop.files.writeFile("\(directory)/large", large).value
      let identity = try TLSIdentity(
        certificateChain: "\(certificates)/server.pem", privateKey: "\(certificates)/server.key")
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, .server(identity))
      let port = Int(try listener.localAddress().port)
      let server = loop.http.serve(listener)
      let files = HTTPFiles(at: FilePath(directory), on: loop)
      let serving = loop.spawn { () async throws in
        for try await exchange in server { files.respond(to: exchange) { _ in } }
      }
      let context = try TLSContext.client(trust: .certificates("\(certificates)/root.pem"))
      let stream = try await loop.tls.connect(host: "127.0.0.1", port: port, context).value
      try await stream.write(
        "GET /large HTTP/1.1\r\nHost: a\r\nRange: bytes=1-5,-500000\r\nConnection: close\r\n\r\n"
      )
      .value
      let text = try await stream.readToEnd(limit: 2_000_000).value
      #expect(Bytes(text.prefix(12)) == "HTTP/1.1 206" && text.count > 500_000)
      stream.close()
      server.close()
      try await serving.value
    }
  }

  @Test("Each loop of a group serves the files by an object of its own")
  func group() async throws {
    try await withLoopAndDirectory { loop, directory in
      try await loop.files.writeFile("\(directory)/file", "x").value
      let root = FilePath(directory)
      let sites = LoopLocal { loop in HTTPFiles(at: root, on: loop) }
      let group = try EventLoopGroup(count: 2)
      let address = try await group.serve(host: "127.0.0.1", port: 0) { connection in
        let files = sites[connection.loop]
        do {
          for try await exchange in connection.loop.http.serve(connection) {
            try await files.respond(to: exchange).value
          }
        } catch { Issue.record(error) }
      }
      for _ in 0..<4 {
        let connection = try await loop.tcp.connect(to: address).value
        for _ in 0..<3 {
          try await connection.write("GET /file HTTP/1.1\r\nHost: a\r\n\r\n").value
          let head = try await connection.read(until: "\r\n\r\n", limit: 1000).value
          #expect(head.map { "\($0)" }?.hasPrefix("HTTP/1.1 200 OK\r\n") == true)
          #expect(try await connection.read(exactly: 1).value == "x")
        }
        connection.close()
      }
      #expect(await group.shutdownGracefully(within: .seconds(20)).count == 0)
    }
  }
}
#endif
