import Foundation
import Testing
import UVDNS
import UVTLS
import UVTestSupport

/// Servers that don't answer, that answer wrongly, and settings.
@Suite struct ResolverTests {
  @Test("A server that doesn't answer fails lookups with the code of the thread pool's, and c-ares's text")
  func silence() async throws {
    try await withLoop { loop in
      let server = try NameServer(loop) { _ in .silence }
      let resolver = try server.resolver(tries: 2, timeout: .milliseconds(20))
      for attempt in 0..<2 {
        do throws(UVError) {
          if attempt == 0 { _ = try await resolver.query("example.org", .mx).value }
          _ = try await resolver.dns.resolve("example.org", port: 1).value
          Issue.record("a silent server has answered")
        } catch {
          #expect(error.code == .nameServerFailure && error.message.contains("Timeout"), "\(error)")
          #expect(error.subject == (attempt == 0 ? "example.org MX" : "example.org"))
        }
      }
      #expect(server.questions.filter { $0.type == 15 }.count == 2)
      server.close()
    }
  }

  @Test("What the server says becomes the code: an error, no such name, and no such records")
  func errors() async throws {
    try await withLoop { loop in
      for (reply, code) in [
        (NameServer.Reply.error(1), UVError.Code.nameServerFailure), (.error(2), .nameServerFailure),
        (.error(3), .unknownHost), (.error(4), .nameServerFailure), (.error(5), .nameServerFailure),
        (.records([]), .unknownHost), (.records([NameServer.name("a.b")], type: 5), .unknownHost),
      ] {
        let server = try NameServer(loop) { _ in reply }
        let resolver = try server.resolver()
        await expectError(code, of: try await resolver.query("example.org", .srv).value)
        await expectError(code, of: try await resolver.dns.resolve("example.org").value)
        server.close()
      }
    }
  }

  @Test("A port at which no server is, and a server that hangs up, end a lookup before its time limit")
  func noServer() async throws {
    try await withLoop { loop in
      let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let (nobody, hangingUp) = (try socket.localAddress(), try listener.localAddress())
      try await socket.close().value
      listener.start { result in if case .success(let connection?) = result { connection.close() } }
      for (address, usesTCP) in [(nobody, false), (nobody, true), (hangingUp, true)] {
        var options = DNSResolverOptions()
        (options.servers, options.usesTCP, options.tries) = ([address], usesTCP, 1)
        options.timeout = .seconds(1000)
        let resolver = try DNSResolver(loop, options: options)
        await expectError(.nameServerFailure, of: try await resolver.query("example.org", .a).value)
      }
      listener.close()
    }
  }

  @Test func `A server that refuses is followed by the next one`() async throws {
    try await withLoop { loop in
      let bad = try NameServer(loop) { _ in .error(2) }
      let good = try NameServer(loop) { _ in .records([[192, 0, 2, 9]]) }
      let resolver = try bad.resolver { $0.servers = [bad.address, good.address] }
      #expect(try await resolver.query("example.org", .a).value.map(\.value.host) == ["192.0.2.9"])
      #expect(bad.questions.count == 1)
      bad.close()
      good.close()
    }
  }

  @Test("An answer without room in a datagram is asked for by TCP, and an option asks by TCP alone")
  func truncated() async throws {
    try await withLoop { loop in
      let text = String(repeating: "x", count: 250)
      let many = (0..<40).map { _ in NameServer.string(text) }
      let server = try NameServer(loop) { $0.isByTCP ? .records(many) : .truncated }
      let answers = try await server.resolver().query("example.org", .txt).value
      #expect(answers.count == 40 && answers.allSatisfy { $0.value == [Bytes(text)] })
      #expect(server.questions.map(\.isByTCP) == [false, true])
      _ = try await server.resolver { $0.usesTCP = true }.query("example.org", .txt).value
      #expect(server.questions.map(\.isByTCP) == [false, true, true])
      server.close()
    }
  }

  /// The contract of `NobodyStarvesTests` for DNS over TCP.
  @Test("A server that trickles its answer by TCP doesn't keep a question beyond its time, nor the next one")
  func trickle() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      var (isDone, sentCount) = (false, 0)
      listener.start { result in
        guard case .success(let connection?) = result else { return }
        func send() {
          if isDone || connection.isClosing { return _ = connection.close() }
          connection.write([sentCount < 2 ? 0xFF : 0]) { _ in
            loop.sleep(for: .milliseconds(5)) { _ in send() }
          }
          sentCount += 1
        }
        send()
      }
      let good = try NameServer(loop) { _ in .records([[192, 0, 2, 9]]) }
      let slow = try listener.localAddress()
      for (servers, isAnswered) in [([slow], false), ([slow, good.address], true)] {
        let resolver = try good.resolver(timeout: .milliseconds(200)) {
          ($0.servers, $0.usesTCP) = (servers, true)
        }
        try await loop.withDeadline(.seconds(20)) {
          if isAnswered {
            #expect(try await resolver.query("example.org", .a).value.map(\.value.host) == ["192.0.2.9"])
          } else {
            await expectError(.nameServerFailure, of: try await resolver.query("example.org", .a).value)
          }
        }
      }
      #expect(sentCount > 2)
      isDone = true
      listener.close()
      good.close()
    }
  }

  @Test("Answers with any byte changed or cut off end the request, with records or with an error")
  func garbage() async throws {
    try await withLoop { loop in
      let good = joined([0, 1, 0, 2, 1, 0xbb], NameServer.name("web.example.org"))
      var random = SystemRandomNumberGenerator()
      let server = try NameServer(loop) { _ in
        .other(good) { bytes in
          switch Int.random(in: 0..<4, using: &random) {
          case 0: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
          case 1: bytes += [UInt8](repeating: 0xC0, count: Int.random(in: 1...99, using: &random))
          // Beyond the question, which c-ares compares: the records are wrong.
          case 2:
            bytes[Int.random(in: 40..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
          default:
            bytes[Int.random(in: 2..<bytes.count, using: &random)] ^= .random(in: 1...255, using: &random)
          }
        }
      }
      let resolver = try server.resolver(timeout: .milliseconds(30))
      let lookups = (0..<500).map { _ in
        loop.spawn { () async -> UVError.Code? in
          await code { () async throws(UVError) in try await resolver.query("example.org", .srv).value }
        }
      }
      for lookup in lookups {
        let code = await lookup.value
        #expect([nil, .unknownHost, .nameServerFailure].contains(code))
      }
      server.close()
    }
  }

  @Test("Records that break the protocol are refused: circles of names, and numbers that lie")
  func malformed() async throws {
    try await withLoop { loop in
      let lies: [(Bytes, UInt16)] = [
        // The record begins at 29, its data at 41: names that lead to themselves, forward, and out of it.
        ([0xC0, 41], 2), ([0xC0, 43, 0], 2), ([0xFF, 0xFF], 2), ([3, 97, 98], 2), ([0x80, 1], 2), ([], 2),
        ([1, 2, 3], 1), ([], 16),
        ([9, 1], 16),
        ([0], 15), ([0, 1], 15),
      ]
      for (data, type) in lies {
        let server = try NameServer(loop) { _ in .records([data]) }
        let resolver = try server.resolver()
        do throws(UVError) {
          switch type {
          case 1: _ = try await resolver.query("example.org", .a).value
          case 2: _ = try await resolver.query("example.org", .ns).value
          case 15: _ = try await resolver.query("example.org", .mx).value
          default: _ = try await resolver.query("example.org", .txt).value
          }
          Issue.record("\(data) of type \(type) was believed")
        } catch {
          #expect(error.code == .nameServerFailure && error.message == "Misformatted DNS reply", "\(error)")
        }
        server.close()
      }
    }
  }

  @Test func `A name of more references than a name has labels is refused`() async throws {
    try await withLoop { loop in
      func bytes(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }
      for (count, isGood) in [(100, true), (200, false)] {
        // A record of another type has the name "a" and references, each to the one before it. It begins at 29, and
        // its data at 41. The name in the second record is a reference to the last of them.
        var chain: [UInt8] = [1, 97, 0]
        var target = 41
        for _ in 0..<count {
          let place = 41 + chain.count
          chain += bytes(0xC000 + target)
          target = place
        }
        let last = target
        let server = try NameServer(loop) { [chain] _ in
          .other(Bytes(chain)) { message in
            message.replaceSubrange(31...32, with: bytes(65400))
            message += [0xC0, 12, 0, 2, 0, 1, 0, 0, 0, 60, 0, 2]
            message += bytes(0xC000 + last)
            message[7] = 2
          }
        }
        let resolver = try server.resolver()
        if isGood {
          #expect(try await resolver.query("example.org", .ns).value.map(\.value) == ["a"])
        } else {
          await expectError(.nameServerFailure, of: try await resolver.query("example.org", .ns).value)
        }
        server.close()
      }
    }
  }

  @Test(
    "Bytes behind a record's contents are refused, as c-ares 1.18 does, or left out, as newer versions do")
  func rests() async throws {
    try await withLoop { loop in
      let server = try NameServer(loop) { _ in .records([[192, 0, 2, 1, 5]]) }
      do throws(UVError) {
        let answers = try await server.resolver().query("example.org", .a).value
        #expect(answers.map(\.value.host) == ["192.0.2.1"])
      } catch { #expect(error.code == .nameServerFailure) }
      server.close()
    }
  }

  @Test("A name that isn't complete is looked for in the search domains, if that is asked for")
  func searchDomains() async throws {
    try await withLoop { loop in
      let server = try NameServer(loop) {
        $0.name == "db.two.test" ? .records([[192, 0, 2, 2]]) : .error(3)
      }
      let resolver = try server.resolver { $0.searchDomains = ["one.test", "two.test"] }
      #expect(try await resolver.query("db", .a, searches: true).value.map(\.name) == ["db.two.test"])
      #expect(server.questions.map(\.name) == ["db.one.test", "db.two.test"])
      await expectError(.unknownHost, of: try await resolver.query("db", .a).value)
      #expect(server.questions.last?.name == "db")
      let addresses = try await resolver.dns.resolve("db", port: 9).value
      #expect(addresses.map(\.description).contains("192.0.2.2:9"))
      let dotted = try server.resolver { ($0.searchDomains, $0.dots) = (["test"], 2) }
      #expect(try await dotted.query("db.two", .a, searches: true).value.count == 1)
      server.close()
    }
  }

  @Test func `A change of resolv.conf is taken over without a restart`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/resolv.conf"
      try "search one.test\n".write(toFile: path, atomically: true, encoding: .utf8)
      try await withLoop { loop in
        let server = try NameServer(loop) { _ in .records([[192, 0, 2, 2]]) }
        let resolver = try server.resolver {
          $0.searchDomains = nil
          $0.configuration = FilePath(path)
        }
        #expect(try await resolver.query("db", .a, searches: true).value.map(\.name) == ["db.one.test"])
        try "search two.test\n".write(toFile: path, atomically: true, encoding: .utf8)
        var names: Set<String> = []
        while !names.contains("db.two.test") {
          names.insert(try await resolver.query("db", .a, searches: true).value[0].name)
          try await loop.sleep(for: .milliseconds(10)).value
        }
        #expect(names.isSubset(of: ["db.one.test", "db.two.test"]))
        server.close()
      }
    }
  }

  @Test("Names of /etc/hosts need no server")
  func hosts() async throws {
    let lines = try String(contentsOfFile: "/etc/hosts", encoding: .utf8).split(separator: "\n")
    let entries = lines.map { $0.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace) }
    let entry = try #require(
      entries.first { $0.count > 1 && (try? SocketAddress(String($0[0]), port: 0)) != nil })
    let (address, name) = (String(entry[0]), String(entry[1]))
    try await withLoop { loop in
      let server = try NameServer(loop) { _ in .error(3) }
      let resolver = try server.resolver()
      let found = try await resolver.dns.resolve(name, port: 7).value
      #expect(found.map(\.host).contains(address) && found.allSatisfy { $0.port == 7 })
      #expect(try await !resolver.dns.resolve("localhost").value.isEmpty)
      #expect(server.questions.isEmpty)
      server.close()
    }
  }

  @Test func `Options that are out of range are refused, with the range`() async throws {
    try await withLoop { loop in
      func expectRefusal(_ change: (inout DNSResolverOptions) -> Void) {
        var options = DNSResolverOptions()
        change(&options)
        #expect(throws: UVError.self) { try DNSResolver(loop, options: options) }
      }
      expectRefusal { $0.timeout = .zero }
      expectRefusal { $0.tries = 0 }
      expectRefusal { $0.dots = 16 }
      expectRefusal { $0.servers = [] }
      expectRefusal { $0.searchDomains = ["a b"] }
      expectRefusal { $0.configuration = "" }
      // One that isn't there leaves the rest.
      let server = try NameServer(loop) { _ in .records([[192, 0, 2, 2]]) }
      let resolver = try server.resolver { $0.configuration = "/nowhere/resolv.conf" }
      #expect(try await resolver.query("example.org", .a).value.count == 1)
      server.close()
    }
  }
}
