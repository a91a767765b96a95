#if Everything
import Testing
import UVDNS
import UVFutures
import UVPromises
import UVTestSupport

/// Records of each type, asked of a real server.
@Suite struct RecordTests {
  @Test func `Every type of records arrives as values, with the time that they may be kept`() async throws {
    try await withLoop { loop in
      let name = NameServer.name
      let string = NameServer.string
      let records: [UInt16: [Bytes]] = [
        1: [[192, 0, 2, 7], [192, 0, 2, 8]],
        2: [name("ns.example.org")],
        5: [name("other.example.org")],
        6: [
          joined(
            name("ns.example.org"), name("admin.example.org"), [0, 0, 0, 9], [0, 0, 0, 1], [0, 0, 0, 2],
            [0, 0, 0, 3], [0, 0, 0, 4])
        ],
        12: [name("host.example.org")],
        15: [joined([0, 10], name("mail.example.org")), joined([0, 0], name(""))],
        16: [joined(string("v=spf1"), string(" -all")), joined(string(""))],
        28: [[0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
        33: [joined([0, 1, 0, 2, 1, 0xbb], name("web.example.org"))],
        35: [
          joined(
            [0, 100, 0, 10], string("u"), string("E2U+sip"), string("!^.*$!sip:a@b!"), name(""))
        ],
        65400: [[1, 2, 3]],
        257: [joined([128], string("issue"), "ca.example.net")],
      ]
      let server = try NameServer(loop) { .records(records[$0.type]!) }
      let resolver = try server.resolver()
      let four = try await resolver.query("example.org", .a).value
      #expect(four.map(\.value.description) == ["192.0.2.7:0", "192.0.2.8:0"])
      #expect(four[0].name == "example.org" && four[0].timeToLive == .seconds(60))
      #expect(try await resolver.query("example.org", .aaaa).value.map(\.value.host) == ["2001:db8::1"])
      #expect(try await resolver.query("example.org", .ns).value.map(\.value) == ["ns.example.org"])
      #expect(try await resolver.query("example.org", .cname).value.map(\.value) == ["other.example.org"])
      let address = try SocketAddress("192.0.2.7", port: 0)
      #expect(
        try await resolver.query(address.reverseName, .ptr).value.map(\.value) == ["host.example.org"])
      #expect(server.questions.last?.name == "7.2.0.192.in-addr.arpa")
      let soa = SOARecord(
        primaryServer: "ns.example.org", mailbox: "admin.example.org", serial: 9, refresh: .seconds(1),
        retry: .seconds(2), expire: .seconds(3), minimum: .seconds(4))
      #expect(try await resolver.query("example.org", .soa).value.map(\.value) == [soa])
      #expect(
        try await resolver.query("example.org", .mx).value.map(\.value) == [
          MXRecord(preference: 10, exchange: "mail.example.org"), MXRecord(preference: 0, exchange: "."),
        ])
      #expect(
        try await resolver.query("example.org", .txt).value.map(\.value) == [["v=spf1", " -all"], [""]])
      #expect(
        try await resolver.query("_https._tcp.example.org", .srv).value.map(\.value) == [
          SRVRecord(priority: 1, weight: 2, port: 443, target: "web.example.org")
        ])
      #expect(
        try await resolver.query("4.3.2.1.e164.arpa", .naptr).value.map(\.value) == [
          NAPTRRecord(
            order: 100, preference: 10, flags: "u", services: "E2U+sip",
            regularExpression: "!^.*$!sip:a@b!", replacement: ".")
        ])
      #expect(
        try await resolver.query("example.org", .caa).value.map(\.value) == [
          CAARecord(isCritical: true, tag: "issue", value: "ca.example.net")
        ])
      #expect(try await resolver.query("example.org", .other(65400)).value.map(\.value) == [[1, 2, 3]])
      server.close()
    }
  }

  @Test func `A name that is an alias has the records of what it stands for`() async throws {
    try await withLoop { loop in
      let server = try NameServer(loop) { _ in .alias("real.example.org", [192, 0, 2, 1]) }
      let answers = try await server.resolver().query("alias.example.org", .a).value
      #expect(answers.map(\.name) == ["real.example.org"] && answers.map(\.value.host) == ["192.0.2.1"])
      let addresses = try await server.resolver().dns.resolve("alias.example.org", port: 5).value
      #expect(addresses.map(\.description).contains("192.0.2.1:5"))
      server.close()
    }
  }

  @Test func `The same request works as a callback, a promise, a publisher and for a task`() async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      let server = try NameServer(loop) { _ in .records([[192, 0, 2, 1]]) }
      let request = try server.resolver().query("example.org", .a)
      func note(_ style: String, _ answers: [DNSAnswer<SocketAddress>]) {
        log.append("\(style) \(answers.map(\.value.host))")
        if log.values.count == 4 { server.close() }
      }
      request.start { if case .success(let answers) = $0 { note("callback", answers) } }
      request.promise().done { note("promise", $0) }.cauterize()
      var subscription: AnyCancellable?
      subscription = request.publisher().sink { _ in
        _ = subscription
        subscription = nil
      } receiveValue: {
        note("publisher", $0)
      }
      loop.spawn {
        do { note("task", try await request.value) } catch { Issue.record("\(error)") }
      }
    }
    #expect(
      Set(log.values)
        == Set(["callback", "promise", "publisher", "task"].map { #"\#($0) ["192.0.2.1"]"# }))
  }

  @Test func `A name of other letters is encoded, and one that can't be a name is refused`() async throws {
    try await withLoop { loop in
      let server = try NameServer(loop) { _ in .records([[192, 0, 2, 1]]) }
      let resolver = try server.resolver()
      for (name, encoded) in [
        ("Bücher.example", "xn--bcher-kva.example"), ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
        ("münchen.xn--p1ai", "xn--mnchen-3ya.xn--p1ai"),
        ("правда.рф", "xn--80aafi6cg.xn--p1ai"),
      ] {
        _ = try await resolver.query(name, .a).value
        #expect(server.questions.last?.name == encoded)
      }
      let count = server.questions.count
      for name in ["", "a\0b", "ü\0"] {
        await expectError(.invalidArgument, of: try await resolver.query(name, .a).value)
      }
      await expectError(.invalidArgument, of: try await resolver.dns.resolve("a\0b", port: 1).value)
      let long = String(repeating: "a", count: 64)
      for name in [
        "a..b", long, "ü" + long, String(repeating: "abc.", count: 80) + "a",
        String(repeating: "ü", count: 9999),
      ] {
        await expectError(.unknownHost, of: try await resolver.query(name, .a).value)
      }
      #expect(server.questions.count == count)
      server.close()
    }
  }
}
#endif
