#if Everything
import CTestHooks
import Foundation
import Testing
import UVTestSupport

@testable import UVHTTP

/// What connections take that wait for their next request.
@Suite(.enabled(if: test_heap_in_use() > 0)) struct IdleConnectionTests {
  /// How many there are: 10,000, or as many as this process may have both ends of.
  private static func count() -> Int { min(10_000, (DescriptorLimit.raise(to: 20_200) - 200) / 2) }

  /// The clients are descriptors alone, so that all memory is the server's.
  private struct Client {
    let descriptor: Int32

    init(_ port: UInt16) {
      #if os(Linux)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
      #endif
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
      let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      #expect(descriptor >= 0 && result == 0)
    }

    func ask() {
      let request = Array("GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: test\r\nAccept: */*\r\n\r\n".utf8)
      #expect(send(descriptor, request, request.count, 0) == request.count)
    }

    /// Whether the answer has come.
    func hasAnswer() -> Bool {
      var bytes = [UInt8](repeating: 0, count: 1000)
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return count > 0 && String(decoding: bytes[..<count], as: UTF8.self).hasSuffix("Hello, world!")
    }
  }

  @Test("10,000 connections that have had an answer take less than 4 KB each, also after another one")
  func idle() async throws {
    let count = Self.count()
    try await withLoop { loop in
      var limits = HTTPLimits()
      limits.connections = count
      limits.idleTimeout = .seconds(3600)
      let server = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
      let port = try server.localAddress().port
      server.start { result in
        if case .success(let exchange?) = result {
          exchange.respond(HTTPResponse(status: .ok), "Hello, world!") { _ in }
        }
      }
      func expectAnswers(_ clients: some Sequence<Client>) async throws {
        for client in clients {
          while !client.hasAnswer() { try await loop.sleep(for: .milliseconds(1)).value }
        }
      }
      var clients: [Client] = []
      clients.reserveCapacity(count)
      // What the first ones make is there for all.
      var before = 0
      while clients.count < count {
        if clients.count == 200 { before = test_heap_in_use() }
        let added = (0..<min(100, count - clients.count)).map { _ in Client(port) }
        for client in added { client.ask() }
        try await expectAnswers(added)
        clients += added
      }
      for round in 1...2 {
        let each = (test_heap_in_use() - before) / (count - 200)
        #expect(each <= 4096, "\(each) bytes each after \(round) answers")
        for client in clients { client.ask() }
        try await expectAnswers(clients)
      }
      for client in clients { close(client.descriptor) }
      server.close()
    }
  }
}
#endif
