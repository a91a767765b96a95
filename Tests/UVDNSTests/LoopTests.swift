import Testing
import UVDNS
import UVTLS
import UVTestSupport

/// Lookups among all else that a loop does.
@Suite struct LoopTests {
  @Test("A loop that uses a resolver connects by it: TCP, both families side by side, and TLS")
  func connecting() async throws {
    let certificates = Certificates.shared
    let identity = try TLSIdentity(
      certificateChain: certificates.path("second.pem"), privateKey: certificates.path("second.key"))
    let server = try TLSContext.server(identity)
    let client = try TLSContext.client(trust: .certificates(certificates.path("root.pem")))
    try await withLoop { loop in
      let names = try NameServer(loop) { $0.type == 28 ? .error(2) : .records([[127, 0, 0, 1]]) }
      loop.dns.use(try names.resolver())
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, server)
      let port = Int(try listener.localAddress().port)
      let accepting = loop.spawn { () async throws(UVError) in
        let connection = try await listener.accept().value
        try await connection.close().value
      }
      let connection = try await loop.tls.connect(host: "second.test", port: port, client).value
      connection.close()
      try await accepting.value
      #expect(Set(names.questions.map(\.type)) == [1, 28] && names.questions[0].name == "second.test")
      let plain = try await loop.tcp.connect(host: "third.test", port: port).value
      plain.close()
      #expect(names.questions.last?.name == "third.test")
      try await listener.close().value
      // The thread pool knows no such name, and neither does the machine's name server.
      let count = names.questions.count
      loop.dns.use(nil)
      await expectError(
        .unknownHost, .nameServerFailure, of: try await loop.dns.resolve("second.invalid").value)
      #expect(names.questions.count == count)
      names.close()
    }
  }

  @Test func `The names of an address: by the server, and as numbers if it has none`() async throws {
    try await withLoop { loop in
      let reply = Box<NameServer.Reply>(.records([NameServer.name("host.example.org")]))
      let names = try NameServer(loop) { _ in reply.value! }
      let dns = try names.resolver().dns
      for text in ["192.0.2.1", "2001:db8::1"] {
        let address = try SocketAddress(text, port: 80)
        #expect(
          try await dns.nameInfo(of: address).value == NameInfo(host: "host.example.org", service: "http"))
        let numbers = try await dns.nameInfo(of: address, options: [.numericHost, .numericService]).value
        #expect(numbers == NameInfo(host: text, service: "80"))
      }
      let unnumbered = try SocketAddress("192.0.2.5", port: 0)
      #expect(try await dns.nameInfo(of: unnumbered).value.service == "0")
      #expect(try await loop.dns.nameInfo(of: unnumbered, options: .numericHost).value.service == "0")
      // Newer versions of c-ares may keep what they know of an address.
      for (text, none) in [("192.0.2.3", NameServer.Reply.error(3)), ("192.0.2.4", .records([]))] {
        reply.value = none
        let address = try SocketAddress(text, port: 80)
        #expect(try await dns.nameInfo(of: address).value == NameInfo(host: text, service: "http"))
        await expectError(
          .unknownHost, of: try await dns.nameInfo(of: address, options: .nameRequired).value)
      }
      names.close()
    }
  }

  @Test(
    "A thousand lookups that hang leave all threads of the pool to files, and end when they are cancelled")
  func hangingLookups() async throws {
    try await withLoop { loop in
      let names = try NameServer(loop) { _ in .silence }
      loop.dns.use(try names.resolver())
      let codes = Log<UVError.Code?>()
      let pending = (0..<1000).map { number in
        loop.dns.resolve("host\(number).test", port: 1) { codes.append($0.error?.code) }
      }
      for _ in 0..<20 { #expect(try await loop.files.readFile("/etc/hosts").value.count > 0) }
      #expect(codes.values.isEmpty)
      #expect(loop.statistics.requests >= 1000)
      for request in pending { request.cancel() }
      #expect(codes.values.isEmpty)
      try await loop.until { codes.values.count == 1000 }
      #expect(codes.values.allSatisfy { $0 == .cancelled })
      names.close()
    }
  }

  @Test func `A lookup that is cancelled ends alone, and the others get their answers`() async throws {
    try await withLoop { loop in
      let isSilent = Box(true)
      let names = try NameServer(loop) { _ in isSilent.value! ? .silence : .records([[192, 0, 2, 1]]) }
      let resolver = try names.resolver(tries: 50, timeout: .milliseconds(20))
      let log = Log<String>()
      let first = resolver.query("one.test", .a) { log.append("one \($0.error?.code.name ?? "-")") }
      resolver.query("two.test", .a) { log.append("two \($0.error?.code.name ?? "-")") }
      try await loop.until { names.questions.count >= 2 }
      first.cancel()
      first.cancel()
      try await loop.until { log.values == ["one ECANCELED"] }
      isSilent.value = false
      try await loop.until { log.values == ["one ECANCELED", "two -"] }
      // A task's cancellation and a time limit do the same.
      isSilent.value = true
      await expectError(
        .timedOut, of: try await resolver.query("three.test", .a).timeout(after: .milliseconds(20)).value)
      let task = loop.spawn { () async throws(UVError) in try await resolver.query("four.test", .a).value }
      try await loop.until { names.questions.contains { $0.name == "four.test" } }
      task.cancel()
      await expectError(.cancelled, of: try await task.value)
      names.close()
    }
  }

  @Test("The last answer ends lookups that were cancelled before it, and closes their sockets")
  func cancelledBeforeTheLast() async throws {
    try await withLoop { loop in
      let names = try NameServer(loop) {
        $0.name == "one.test" ? .silence : .records([[192, 0, 2, 1]])
      }
      let before = loop.polls
      let resolver = try names.resolver(timeout: .seconds(1000))
      let log = Log<String>()
      let first = resolver.query("one.test", .a) { log.append("one \($0.error?.code.name ?? "-")") }
      resolver.query("two.test", .a) { log.append("two \($0.error?.code.name ?? "-")") }
      first.cancel()
      try await loop.until { log.values == ["one ECANCELED", "two -"] && loop.polls == before }
      // The next one has a socket of its own.
      #expect(try await resolver.query("three.test", .a).value.count == 1)
      names.close()
    }
  }

  @Test("An answer's completion asks again, cancels another lookup and goes back to the thread pool")
  func reentrance() async throws {
    try await withLoop { loop in
      let names = try NameServer(loop) { $0.name == "three.test" ? .silence : .records([[192, 0, 2, 1]]) }
      let before = loop.polls
      let log = Log<String>()
      var resolver: DNSResolver? = try names.resolver(timeout: .seconds(1000))
      loop.dns.use(resolver)
      let third = resolver!.query("three.test", .a) { log.append("three \($0.error?.code.name ?? "-")") }
      resolver!.query("one.test", .a) { [resolver] _ in
        resolver!.query("two.test", .a) { log.append("two \($0.error?.code.name ?? "-")") }
        third.cancel()
        loop.dns.use(nil)
        log.append("one")
      }
      resolver = nil
      try await loop.until { log.values.count == 3 && loop.polls == before }
      #expect(log.values == ["one", "three ECANCELED", "two -"])
      names.close()
    }
  }

  @Test("The loops of a group look up each by its own, list lookups in their snapshots, and end them")
  func group() async throws {
    let codes = Log<UVError.Code?>()
    try await withLoop { _ in
      let group = try EventLoopGroup(count: 2)
      for executor in group.executors {
        let waits = try await executor.submit { loop throws(UVError) in
          let names = try NameServer(loop) { _ in .silence }
          let resolver = try names.resolver()
          loop.dns.use(resolver)
          loop.dns.resolve("one.test") { codes.append($0.error?.code) }
          resolver.query("two.test", .mx) { codes.append($0.error?.code) }
          return loop.snapshot().requests.entries.map { "\($0.operation) \($0.subject ?? "-")" }
        }
        #expect(waits.sorted() == ["getaddrinfo one.test", "query two.test MX"])
      }
      _ = await group.shutdownGracefully(within: .zero)
    }
    #expect(codes.values == [.cancelled, .cancelled, .cancelled, .cancelled])
  }

  @Test func `A loop that ends answers lookups that are under way, and refuses later ones`() async throws {
    let log = Log<String>()
    let codes = Log<UVError.Code?>()
    try await withThread {
      try EventLoop.runCallbacks { loop in
        let names = try NameServer(loop) { _ in .silence }
        let resolver = try names.resolver()
        for name in ["one.test", "two.test"] {
          resolver.query(name, .a) { log.append("\(name) \($0.error?.code.name ?? "-")") }
          resolver.dns.resolve(name) { log.append("\(name) \($0.error?.code.name ?? "-")") }
        }
        loop.eventually(!names.questions.isEmpty) { loop.stop() }
      }
    }
    #expect(
      log.values.sorted() == ["one.test", "one.test", "two.test", "two.test"].map { "\($0) ECANCELED" })
    try await withThread {
      let loop = try EventLoop()
      let resolver = loop.resolver
      loop.shutdown()
      resolver.query("example.org", .a) { codes.append($0.error?.code) }
      resolver.dns.resolve("example.org") { codes.append($0.error?.code) }
    }
    #expect(codes.values == [.loopClosed, .loopClosed])
  }

  @Test("A resolver that is dropped answers what it was asked, and an idle one holds no descriptor")
  func dropped() async throws {
    try await withLoop { loop in
      let names = try NameServer(loop) { _ in .records([[192, 0, 2, 1]]) }
      weak var dropped: DNSResolver?
      let before = loop.polls
      for _ in 0..<3 {
        let resolver = try names.resolver()
        dropped = resolver
        #expect(try await resolver.query("example.org", .a).value.count == 1)
        try await loop.until { loop.polls == before }
      }
      let request = try names.resolver().query("example.org", .a)
      #expect(try await request.value.count == 1)
      #expect(dropped == nil)
      names.close()
    }
  }

  @Test("More questions than c-ares has numbers for wait for others, and all are answered")
  func manyQuestions() async throws {
    try await withLoop { loop in
      let names = try NameServer(loop) { _ in .silence }
      let resolver = try names.resolver(tries: 50, timeout: .milliseconds(100))
      let codes = Log<UVError.Code?>()
      let pending = (0..<10_050).map { number in
        resolver.query("host\(number).test", .a) { codes.append($0.error?.code) }
      }
      // The others wait until nobody waits for these.
      for request in pending.prefix(10_000) { request.cancel() }
      try await loop.until { names.questions.contains { $0.name == "host10049.test" } }
      for request in pending { request.cancel() }
      try await loop.until { codes.values.count == 10_050 }
      names.close()
    }
  }
}

extension EventLoop {
  /// The number of sockets that the loop watches for c-ares and for a ``NameServer``.
  fileprivate var polls: Int { handles.count { $0.type == .poll } }
}
