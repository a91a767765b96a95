#if Everything
import Testing
import UVDNS
import UVTestSupport

/// Which names a resolver asks for: each source of search domains beside each other one, with names of so many dots.
@Suite(.serialized) struct SearchDomainTests {
  /// What the system says.
  enum System: String, CaseIterable {
    case search = "search sys.test more.test\n"
    case domain = "domain sys.test\n"
    case dots = "search sys.test\noptions ndots:2\n"
    /// The variable `LOCALDOMAIN`, which goes before the file.
    case variable = "search file.test\n#\n"

    var domains: [String] {
      switch self {
      case .search: ["sys.test", "more.test"]
      case .domain, .dots: ["sys.test"]
      case .variable: ["variable.test"]
      }
    }

    var dots: Int { self == .dots ? 2 : 1 }
  }

  /// The names that are asked for, in order, if none of them is there.
  private static func asked(_ name: String, _ domains: [String], _ dots: Int) -> [String] {
    if name.hasSuffix(".") { return [String(name.dropLast())] }
    let others = domains.map { "\(name).\($0)" }
    return name.count { $0 == "." } >= dots ? [name] + others : others + [name]
  }

  @Test("Options go before the system's domains, also those that say none", arguments: System.allCases)
  func names(system: System) async throws {
    if system == .variable { try Environment.set("LOCALDOMAIN", to: "variable.test") }
    defer { if system == .variable { try? Environment.unset("LOCALDOMAIN") } }
    try await withLoopAndDirectory { loop, directory in
      let path = "\(directory)/resolv.conf"
      try await loop.files.writeFile(path, Bytes(system.rawValue)).value
      let server = try NameServer(loop) { _ in .error(3) }
      for domains in [nil, [], ["one.test"], ["one.test", "two.test"]] as [[String]?] {
        for dots in [nil, 0, 2] as [Int?] {
          let resolver = try server.resolver {
            ($0.searchDomains, $0.dots, $0.configuration) = (domains, dots, FilePath(path))
          }
          for name in ["db", "db.x", "db.x.y", "db."] {
            let expected = Self.asked(name, domains ?? system.domains, dots ?? system.dots)
            let place: Comment = "\(name) with \(domains?.description ?? "the system's"), dots \(dots ?? -1)"
            var before = server.questions.count
            await expectError(.unknownHost, of: try await resolver.query(name, .a, searches: true).value)
            #expect(server.questions[before...].map(\.name) == expected, place)
            before = server.questions.count
            await expectError(.unknownHost, of: try await resolver.query(name, .a).value)
            #expect(server.questions[before...].map(\.name) == [name == "db." ? "db" : name], place)
            if name == "db." { continue }
            before = server.questions.count
            await expectError(.unknownHost, of: try await resolver.dns.resolve(name, port: 1).value)
            // Each for both families.
            let resolved = server.questions[before...].map(\.name)
            #expect(stride(from: 0, to: resolved.count, by: 2).map { resolved[$0] } == expected, place)
          }
        }
      }
      server.close()
    }
  }
}
#endif
