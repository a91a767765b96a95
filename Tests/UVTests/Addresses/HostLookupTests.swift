import Foundation
import Testing
import UV
import UVTestSupport

/// The two lookups of a host, whichever answers first, and with what.
@Suite struct HostLookupTests {
  enum Answer: CaseIterable {
    case found, unknownHost, timedOut, nameServerFailure

    fileprivate var error: UVError.Code? {
      switch self {
      case .found: nil
      case .unknownHost: .unknownHost
      case .timedOut: .timedOut
      case .nameServerFailure: .nameServerFailure
      }
    }
  }

  /// Lookups that are answered by hand.
  private final class Lookups: NameLookup {
    var asked: [Int32: Completion<[SocketAddress]>] = [:]
    var cancelled: [Int32] = []

    func addresses(
      of host: String, port: UInt16, family: Int32, _ done: @escaping Completion<[SocketAddress]>
    ) -> PendingRequest {
      asked[family] = done
      return PendingRequest("lookup") { self.cancelled.append(family) }
    }

    func nameInfo(
      of address: SocketAddress, _ options: NameInfoOptions, _ done: @escaping Completion<NameInfo>
    )
      -> PendingRequest
    { PendingRequest() }

    func answer(_ family: Int32, _ answer: Answer) {
      asked.removeValue(forKey: family)?(
        answer.error.map { .failure(UVError($0, operation: "test")) }
          ?? .success([try! SocketAddress(family == AF_INET6 ? "::1" : "127.0.0.1", port: 1)]))
    }
  }

  /// What a lookup has reported: the hosts of each call, and its end.
  private final class Report {
    var hosts: [[String]] = []
    var ends: [UVError.Code?] = []
  }

  private func start(_ loop: EventLoop, delay: Duration) -> (Lookups, HostLookup, Report) {
    let (lookups, lookup, report) = (Lookups(), HostLookup(loop, delay: delay), Report())
    NameLookups.all[loop].used = lookups
    lookup.start("name.example", port: 1) {
      report.hosts.append($0.map(\.host))
    } ended: {
      report.ends.append($0?.code)
    }
    return (lookups, lookup, report)
  }

  @Test(arguments: [AF_INET, AF_INET6])
  func `Each pair of answers gives the addresses that there are, and says why there is none`(first: Int32)
    async throws
  {
    let families = first == AF_INET ? [AF_INET, AF_INET6] : [AF_INET6, AF_INET]
    for one in Answer.allCases {
      for other in Answer.allCases {
        try await withLoop { loop in
          let (lookups, _, report) = start(loop, delay: .seconds(60))
          lookups.answer(families[0], one)
          // Addresses of IPv4 alone wait for those of IPv6.
          #expect(report.hosts.isEmpty == (first == AF_INET || one != .found) && report.ends == [])
          lookups.answer(families[1], other)
          let answers = [families[0]: one, families[1]: other]
          let found = [AF_INET6, AF_INET].filter { answers[$0] == .found }.map {
            $0 == AF_INET ? "127.0.0.1" : "::1"
          }
          #expect(report.hosts.flatMap { $0 } == found, "\(one), \(other)")
          // That there is no such name is certain only if both say so. Of other reasons the first counts.
          let reasons = [one, other].compactMap(\.error)
          let reason = reasons.first { $0 != .unknownHost } ?? .unknownHost
          #expect(report.ends == [found.isEmpty ? reason : nil], "\(one), \(other)")
        }
      }
    }
  }

  @Test func `Addresses of IPv4 wait no longer than the delay`() async throws {
    try await withLoop { loop in
      let (lookups, _, report) = start(loop, delay: .milliseconds(1))
      lookups.answer(AF_INET, .found)
      try await loop.until { !report.hosts.isEmpty }
      #expect(report.hosts == [["127.0.0.1"]] && report.ends == [])
      lookups.answer(AF_INET6, .found)
      #expect(report.hosts == [["127.0.0.1"], ["::1"]] && report.ends == [nil])
    }
  }

  @Test(arguments: [[], [AF_INET], [AF_INET6]])
  func `A lookup that is cancelled reports nothing`(answered: [Int32]) async throws {
    try await withLoop { loop in
      let (lookups, lookup, report) = start(loop, delay: .zero)
      for family in answered { lookups.answer(family, .found) }
      let known = report.hosts
      lookup.cancel()
      #expect(Set([AF_INET, AF_INET6]).subtracting(lookups.cancelled).isSubset(of: answered))
      for family in [AF_INET, AF_INET6] { lookups.answer(family, .found) }
      for _ in 0..<3 { try await loop.sleep(for: .milliseconds(1)).value }
      #expect(report.hosts == known && report.ends == [])
    }
  }
}
