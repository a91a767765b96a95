import Dispatch
import Testing
import UV
import UVTestSupport

@Suite struct DNSTests {
  /// An address needs no thread of the pool: it is answered while all of them are taken.
  @Test func anAddressBypassesTheThreadPool() async throws {
    try await withLoop { loop in
      let gate = DispatchSemaphore(value: 0)
      let count = 1024
      let began = Log<Int>()
      let works = (0..<count).map { number in
        loop.spawn { () async throws(UVError) in
          try await loop.work {
            began.append(number)
            gate.wait()
          }.value
        }
      }
      try await loop.until { !began.values.isEmpty }
      for (host, text) in [
        ("127.0.0.1", "127.0.0.1:80"), ("::1", "[::1]:80"), ("fe80::1%lo", "[fe80::1%lo]:80"),
      ] {
        let addresses = try await loop.dns.resolve(host, port: 80).value
        #expect(addresses.map(\.description) == [text])
      }
      #expect(works.contains { $0.resultIfFinished == nil })
      for _ in works { gate.signal() }
      for work in works { try await work.value }
    }
  }

  @Test func theNameOfAnAddress() async throws {
    try await withLoop { loop in
      let address = try SocketAddress("127.0.0.1", port: 80)
      let numbers = try await loop.dns.nameInfo(of: address, options: [.numericHost, .numericService]).value
      #expect((numbers.host, numbers.service) == ("127.0.0.1", "80"))
      let names = try await loop.dns.nameInfo(of: address).value
      #expect(!names.host.isEmpty)
      let six = try await loop.dns.nameInfo(
        of: SocketAddress("::1", port: 7), options: [.numericHost, .numericService]
      ).value
      #expect((six.host, six.service) == ("::1", "7"))
    }
  }

  /// TEST-NET-1 has no names; whether there is a name server to say so depends on the machine.
  @Test func anAddressThatMustHaveAName() async throws {
    try await withLoop { loop in
      let address = try SocketAddress("192.0.2.1", port: 1)
      await expectError(
        .unknownHost, .nameServerFailure,
        of: try await loop.dns.nameInfo(of: address, options: .nameRequired).value)
    }
  }

  @Test("An error of a wrong host or port says which of them is wrong, and what is right")
  func wrong() async throws {
    try await withLoop { loop in
      for (host, port, subject) in [
        ("", 80, "no host"), ("", 70_000, "no host"),
        ("localhost", 65_536, "localhost port 65536 (0...65535)"),
        ("localhost", -1, "localhost port -1 (0...65535)"), ("::1", 65_536, "::1 port 65536 (0...65535)"),
        ("a\0b", 80, "a\0b"),
      ] {
        for request in [
          loop.dns.resolve(host, port: port).map { _ in },
          loop.tcp.connect(host: host, port: port).map { _ in },
        ] {
          do throws(UVError) {
            try await request.value
            Issue.record("\(host) has been found")
          } catch {
            #expect(error.code == .invalidArgument && error.subject == subject, "\(error)")
          }
        }
      }
    }
  }

  @Test func aLookupThatIsCancelled() async throws {
    let log = Log<UVError.Code?>()
    try await withCallbackLoop { loop in
      let address = try SocketAddress("127.0.0.1", port: 80)
      for _ in 0..<20 { loop.dns.nameInfo(of: address) { log.append($0.error?.code) }.cancel() }
      #expect(log.values.isEmpty)
    }
    #expect(log.values == Array(repeating: .cancelled, count: 20))
  }
}
