#if Everything
import InMemoryTracing
import Testing
import Tracing
import UV
import UVService
import UVTLS
import UVTestSupport

/// Spans, where the program asks for them.
@Suite(.serialized) struct TracingTests {
  private static let tracer: InMemoryTracer = {
    let tracer = InMemoryTracer()
    InstrumentationSystem.bootstrap(tracer)
    return tracer
  }()

  @Test(
    "A connection's span names its peer, is on the loop's thread, and is the parent of spans in tasks that it spawns"
  )
  func span() async throws {
    let tracer = Self.tracer
    tracer.clearAll()
    try await withPair { loop, client, server in
      let peer = try server.peerAddress()
      let value = try await server.withSpan("request") { _ in
        #expect(loop.executor.isOnLoop)
        return await loop.spawn { withSpan("work") { _ in 5 } }.value
      }
      #expect(value == 5)
      #expect(loop.executor.isOnLoop)
      let spans = tracer.finishedSpans
      let request = try #require(spans.first { $0.operationName == "request" })
      let work = try #require(spans.first { $0.operationName == "work" })
      #expect(work.parentSpanID == request.spanID)
      #expect(request.attributes.get("network.peer.address") == .string(peer.host))
      #expect(request.attributes.get("network.peer.port") == .int64(Int64(peer.port)))
      #expect(request.kind == .server)
    }
  }

  @Test func `The span of a connection with TLS names its peer, too`() async throws {
    let tracer = Self.tracer
    tracer.clearAll()
    let certificates = Certificates.shared.directory
    try await withPair { loop, client, server in
      let identity = try TLSIdentity(
        certificateChain: "\(certificates)/server.pem", privateKey: "\(certificates)/server.key")
      let peer = try server.peerAddress()
      let securing = loop.spawn {
        try await loop.tls.secure(client, .client(trust: .everyoneWithoutVerification), host: "localhost")
          .value
      }
      let secured = try await loop.tls.secure(server, .server(identity)).value
      try await secured.withSpan("request") { _ in }
      let request = try #require(tracer.finishedSpans.first)
      #expect(request.attributes.get("network.peer.address") == .string(peer.host))
      #expect(request.attributes.get("network.peer.port") == .int64(Int64(peer.port)))
      secured.close()
      try await securing.value.close()
    }
  }

  @Test func `Nothing begins a span by itself, and an error of the body is recorded`() async throws {
    let tracer = Self.tracer
    tracer.clearAll()
    try await withPair { loop, client, server in
      try await client.write("x").value
      _ = try await server.next().value
      #expect(tracer.finishedSpans.isEmpty)
      await #expect(throws: UVError.self) {
        try await server.withSpan("late") { _ in try await server.next().timeout(after: .zero).value }
      }
      #expect(tracer.finishedSpans.first?.errors.count == 1)
    }
  }
}
#endif
