import Foundation
import Testing
import UV
import UVTestSupport

/// Connecting to one of several addresses, of which some don't answer (RFC 8305).
@Suite struct ConnectRaceTests {
  private static let never = ConnectDelays(attempt: .seconds(1000))

  /// A listener on each of both families' loopback addresses, with the same port.
  private func listeners(_ loop: EventLoop, backlog: Int = 511) throws -> (
    six: TCPListener, four: TCPListener
  ) {
    for _ in 0..<100 {
      let six = try loop.tcp.listen(host: "::1", port: 0, backlog: backlog)
      do throws(UVError) {
        return (six, try loop.tcp.listen(host: "127.0.0.1", port: Int(try six.localAddress().port)))
      } catch { six.close() }
    }
    throw UVError(.addressInUse, operation: "bind")
  }

  /// Fills the queue of a listener that nobody asks, so that the system drops what comes after.
  private nonisolated(nonsending) func fill(_ listener: TCPListener) async throws -> [TCPConnection] {
    var clients: [TCPConnection] = []
    let address = try listener.localAddress()
    while true {
      do throws(UVError) {
        let connecting = listener.loop.tcp.connect(to: address).timeout(after: .milliseconds(200))
        clients.append(try await connecting.value)
      } catch { return clients }
    }
  }

  @Test("An address that doesn't answer gets its time, and the next one is tried beside it")
  func blackHole() async throws {
    try await withLoop { loop in
      let (six, four) = try listeners(loop, backlog: 1)
      let clients = try await fill(six)
      let addresses = [try six.localAddress(), try four.localAddress()]
      let connection = try await loop.tcp.connect(toAnyOf: addresses).value
      #expect(try connection.peerAddress() == addresses[1])
      // Alone, the first one would still be waited for.
      await expectError(
        .timedOut, of: try await loop.tcp.connect(to: addresses[0]).timeout(after: .milliseconds(100)).value)
      for client in clients + [connection] { client.close() }
      six.close()
      four.close()
    }
  }

  @Test("The families are tried in turn, IPv6 first, and the first that answers is the only one")
  func firstAnswers() async throws {
    try await withLoop { loop in
      let (six, four) = try listeners(loop)
      let addresses = [try four.localAddress(), try six.localAddress()]
      let accepting = loop.spawn { () async throws(UVError) in
        _ = try await four.accept().value.close()
      }
      let connection = try await loop.tcp.connect(toAnyOf: addresses, delays: Self.never).value
      #expect(try connection.peerAddress() == addresses[1])
      try await loop.settle()
      four.close()
      await expectError(.cancelled, of: try await accepting.value)
      connection.close()
      six.close()
    }
  }

  @Test func `After a failure the next one is tried at once`() async throws {
    try await withLoop { loop in
      let (six, four) = try listeners(loop)
      let addresses = [try six.localAddress(), try four.localAddress()]
      try await six.close().value
      let connection = try await loop.tcp.connect(toAnyOf: addresses, delays: Self.never).value
      #expect(try connection.peerAddress() == addresses[1])
      connection.close()
      four.close()
    }
  }

  @Test("If all fail, the error has each address with its own reason; one address has its own error")
  func allFail() async throws {
    try await withLoop { loop in
      let (six, four) = try listeners(loop)
      let addresses = [try four.localAddress(), try six.localAddress()]
      try await six.close().value
      try await four.close().value
      do throws(UVError) {
        _ = try await loop.tcp.connect(toAnyOf: addresses).value
        Issue.record("connected")
      } catch {
        #expect(error.code == .connectionRefused)
        #expect(
          error.message == "\(addresses[1]) connection refused, \(addresses[0]) connection refused")
        #expect("\(error)".hasPrefix("connect 2 addresses: [::1]:"))
      }
      do throws(UVError) {
        _ = try await loop.tcp.connect(toAnyOf: [addresses[0]]).value
        Issue.record("connected")
      } catch { #expect("\(error)" == "connect \(addresses[0]): connection refused (ECONNREFUSED)") }
      await expectError(.invalidArgument, of: try await loop.tcp.connect(toAnyOf: []).value)
    }
  }

  @Test func `Of several that answer at the same time, one is kept and the others are closed`() async throws {
    try await withLoop { loop in
      let (six, four) = try listeners(loop)
      let addresses = [try six.localAddress(), try four.localAddress()]
      for _ in 0..<20 {
        let connection = try await loop.tcp.connect(
          toAnyOf: addresses + addresses, delays: ConnectDelays(attempt: .zero)
        ).value
        connection.close()
      }
      six.close()
      four.close()
    }
  }

  @Test func `A cancelled connect closes all that it has begun`() async throws {
    try await withLoop { loop in
      let (six, four) = try listeners(loop, backlog: 1)
      let clients = try await fill(six)
      let address = try six.localAddress()
      let log = Log<String>()
      let pending = loop.tcp.connect(
        toAnyOf: [address, address, address], delays: ConnectDelays(attempt: .milliseconds(1))
      ) { log.append($0.error?.name ?? "connected") }
      let before = loop.statistics.handles
      try await loop.settle { loop.statistics.handles >= before + 2 }
      #expect(log.values == [])
      pending.cancel()
      #expect(log.values == [])
      try await loop.settle { !log.values.isEmpty }
      pending.cancel()
      #expect(log.values == ["ECANCELED"])
      for client in clients { client.close() }
      six.close()
      four.close()
    }
  }

  @Test func `A name is looked up in both families, and an address in none`() async throws {
    try await withLoop { loop in
      let (six, four) = try listeners(loop)
      let port = Int(try four.localAddress().port)
      for host in ["localhost", "127.0.0.1", "::1"] {
        let connection = try await loop.tcp.connect(host: host, port: port).value
        #expect(try connection.peerAddress().port == UInt16(port))
        connection.close()
      }
      await expectError(
        .unknownHost, .nameServerFailure,
        of: try await loop.tcp.connect(host: "no.such.host.invalid", port: port).value)
      six.close()
      four.close()
    }
  }
}
