#if Everything
import Testing
import UVDNS
import UVTestSupport

/// The ranges of a resolver's options, to their first and last value.
@Suite struct OptionBoundTests {
  @Test func `Each option is taken up to its bounds, and refused beyond them`() async throws {
    try await withLoop { loop in
      func isTaken(_ change: (inout DNSResolverOptions) -> Void) -> Bool {
        var options = DNSResolverOptions()
        change(&options)
        do throws(UVError) {
          _ = try DNSResolver(loop, options: options)
          return true
        } catch {
          #expect(error.code == .invalidArgument)
          return false
        }
      }
      for (timeout, expected) in [
        (Duration.milliseconds(1), true), (.seconds(86400), true), (.microseconds(999), false),
        (.zero, false),
        (.seconds(-1), false), (.milliseconds(86_400_001), false),
      ] {
        #expect(isTaken { $0.timeout = timeout } == expected, "\(timeout)")
      }
      for (tries, expected) in [(1, true), (100, true), (0, false), (-1, false), (101, false)] {
        #expect(isTaken { $0.tries = tries } == expected, "\(tries)")
      }
      for (dots, expected) in [(0, true), (15, true), (-1, false), (16, false)] {
        #expect(isTaken { $0.dots = dots } == expected, "\(dots)")
      }
      for (domain, expected) in [
        ("a", true), ("a.b", true), ("!", true), ("~", true), ("", false), (" ", false), ("a b", false),
        ("a\n", false),
        ("\u{7F}", false), ("ü", false),
      ] {
        #expect(isTaken { $0.searchDomains = ["x", domain] } == expected, "\(domain)")
      }
      #expect(isTaken { $0.searchDomains = [] } && isTaken { $0.configuration = "/x" })
      #expect(!isTaken { $0.servers = [] } && !isTaken { $0.configuration = "" })
    }
  }

  @Test("A question is asked as often as there are tries, of each server", arguments: 1...3)
  func tries(tries: Int) async throws {
    try await withLoop { loop in
      let servers = [try NameServer(loop) { _ in .silence }, try NameServer(loop) { _ in .silence }]
      for count in 1...2 {
        let before = servers.map(\.questions.count)
        let resolver = try servers[0].resolver(tries: tries, timeout: .milliseconds(30)) {
          $0.servers = servers[..<count].map(\.address)
        }
        await expectError(.nameServerFailure, of: try await resolver.query("example.org", .a).value)
        let asked = zip(servers, before).map { $0.questions.count - $1 }
        #expect(asked == (0..<2).map { $0 < count ? tries : 0 }, "\(count) servers")
      }
      for server in servers { server.close() }
    }
  }
}
#endif
