#if os(Linux)
import Foundation
import Testing
import UV
import UVTestSupport

/// How many connections may wait for a listener: what the program says, or what the page on limits does.
@Suite(.serialized) struct BacklogTests {
  enum Way: CaseIterable {
    case listener, ownPort, groupInTask, groupWithHandler, groupRequest, groupRequestWithHandler, groupInTurn
  }

  /// The backlogs of all sockets of this process that listen on a port.
  private static func backlogs(of port: Int) -> [Int] {
    openDescriptors().keys.compactMap { name -> Int? in
      guard let descriptor = Int32(name) else { return nil }
      var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
      let isNamed = withUnsafeMutableBytes(of: &address) {
        getsockname(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length) == 0
      }
      guard isNamed, address.sin_family == AF_INET, UInt16(bigEndian: address.sin_port) == port else {
        return nil
      }
      var information = tcp_info()
      var size = socklen_t(MemoryLayout<tcp_info>.size)
      guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &information, &size) == 0 else { return nil }
      // Of a socket that listens this is the longest queue. Its state is 10.
      return information.tcpi_state == 10 ? Int(information.tcpi_sacked) : nil
    }
  }

  @Test(arguments: Way.allCases)
  func `A listener's backlog is 511 unless the program says another one`(way: Way) async throws {
    let most =
      try Int(
        #require(
          String(contentsOfFile: "/proc/sys/net/core/somaxconn", encoding: .utf8).split(separator: "\n").first
        )) ?? 0
    for backlog in [nil, 7] as [Int?] {
      try await withLoop { loop in
        let group = try EventLoopGroup(count: 2)
        let host = "127.0.0.1"
        var own: TCPListener?
        let port: UInt16
        switch (way, backlog) {
        case (.listener, let backlog?): own = try loop.tcp.listen(host: host, port: 0, backlog: backlog)
        case (.listener, nil): own = try loop.tcp.listen(host: host, port: 0)
        case (.ownPort, let backlog?):
          own = try loop.tcp.listen(host: host, port: 0, backlog: backlog, reusePort: true)
        case (.ownPort, nil): own = try loop.tcp.listen(host: host, port: 0, reusePort: true)
        default: break
        }
        switch (way, backlog) {
        case (.groupInTask, let backlog?):
          port = try await group.serve(host: host, port: 0, backlog: backlog) { _ in }.port
        case (.groupInTask, nil): port = try await group.serve(host: host, port: 0) { _ in }.port
        case (.groupWithHandler, let backlog?):
          port = try await group.listen(host: host, port: 0, backlog: backlog) { _ in }.port
        case (.groupWithHandler, nil): port = try await group.listen(host: host, port: 0) { _ in }.port
        case (.groupRequest, let backlog?):
          port = try await group.serve(host: host, port: 0, backlog: backlog, on: loop) { _ in }.value.port
        case (.groupRequest, nil):
          port = try await group.serve(host: host, port: 0, on: loop) { _ in }.value.port
        case (.groupRequestWithHandler, let backlog?):
          port = try await group.listen(host: host, port: 0, backlog: backlog, on: loop) { _ in }.value.port
        case (.groupRequestWithHandler, nil):
          port = try await group.listen(host: host, port: 0, on: loop) { _ in }.value.port
        case (.groupInTurn, let backlog):
          port = try await group.serve(host: host, port: 0, backlog: backlog ?? 511, balance: .roundRobin) {
            _ in
          }.port
        default: port = try own!.localAddress().port
        }
        let found = Self.backlogs(of: Int(port))
        #expect(!found.isEmpty && found.allSatisfy { $0 == min(backlog ?? 511, most) }, "\(way): \(found)")
        own?.close()
        _ = await group.shutdownGracefully(within: .zero)
      }
    }
  }
}
#endif
