import CTestHooks
import Foundation
import Testing
import UV
import UVTLS
import UVTestSupport

/// Listeners for which there is no descriptor or memory: rules 32 and 33.
@Suite(.serialized) struct AcceptTests {
  @Test("Without descriptors a listener backs off, and its connections wait until there are some", .rule(32))
  func aStormIsWaitedOut() async throws {
    guard test_faults_reach(FaultLayer.system) != 0 else { return }
    let (turns, waited) = try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      var accepted: [TCPConnection] = []
      listener.start { if let connection = try? $0.get() { accepted.append(connection) } }
      // From here on nothing can be accepted, not with libuv's spare descriptor either.
      test_faults_arm(EMFILE, FaultLayer.system, 1, .max / 2, "accept4")
      var clients: [TCPConnection] = []
      for _ in 0..<20 { clients.append(try await loop.tcp.connect(to: address).value) }
      let start = loop.clock.now
      let turns = try await loop.turns(in: .milliseconds(300))
      #expect(accepted.isEmpty)
      // Tries after 5, 10, 20, 40, 80 … ms take two or three turns each; a storm would take as many as fit.
      #expect(turns < 60)
      let failures = test_faults_disarm()
      #expect(failures > 0 && failures < 60)
      try await loop.until { accepted.count >= clients.count }
      // Nobody was dropped.
      for client in clients { try await client.write("hello").value }
      for connection in accepted { #expect(try await connection.next().value == "hello") }
      let waited = start.duration(to: loop.clock.now)
      for connection in clients + accepted { connection.close() }
      listener.close()
      return (turns, waited)
    }
    print("descriptor storm: \(turns) turns in 300 ms; all 20 connections were accepted after \(waited)")
  }

  @Test("Without descriptors a TLS listener closes the connection that has been silent for the longest time")
  func silentOnesGoFirst() async throws {
    guard test_faults_reach(FaultLayer.system) != 0 else { return }
    let certificates = Certificates.shared
    let identity = try TLSIdentity(
      certificateChain: certificates.path("server.pem"), privateKey: certificates.path("server.key"))
    let server = try TLSContext.server(identity)
    let client = try TLSContext.client(trust: .certificates(certificates.path("root.pem")))
    try await withLoop { loop in
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, server)
      let address = try listener.localAddress()
      listener.start { if case .success(let connection?) = $0 { connection.close() } }
      var silent: [TCPConnection] = []
      for count in 1...2 {
        silent.append(try await loop.tcp.connect(to: address).value)
        try await loop.until { loop.statistics.accepted >= count }
      }
      test_faults_arm(EMFILE, FaultLayer.system, 1, 1, "accept4")
      let connection = try await loop.tls.connect(host: "localhost", port: Int(address.port), client).value
      #expect(test_faults_disarm() == 1)
      #expect(try await silent[0].next().value == nil)
      #expect(loop.statistics.refused == 0)
      for connection in silent { connection.close() }
      connection.close()
      listener.close()
    }
  }

  @Test("At the limit of descriptors peers wait, and are accepted when there is room", .rule(32))
  func theLimitOfDescriptors() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      var accepted: [TCPConnection] = []
      listener.start { if let connection = try? $0.get() { accepted.append(connection) } }
      var clients = (0..<10).map { _ in RawClient() }
      // A turn, so that everything that opens descriptors by itself has done so.
      try await loop.sleep(for: .milliseconds(1)).value
      let limit = DescriptorLimit()
      for client in clients { client.connect(to: address.port) }
      #expect(try await loop.turns(in: .milliseconds(100)) < 50)
      #expect(accepted.isEmpty)
      // Nobody was dropped.
      #expect(clients.allSatisfy { !$0.hasOutcome })
      limit.lift()
      try await loop.until { accepted.count >= clients.count }
      for connection in accepted { try await connection.write("welcome").value }
      for client in clients {
        try await loop.until { client.hasOutcome }
        #expect(client.outcome == .bytes(7))
      }
      clients = []
      for connection in accepted { connection.close() }
      listener.close()
    }
  }

  @Test("A listener can be closed, dropped or shut down while it backs off", .rule(32), arguments: 0...4)
  func closingWhileBackingOff(turns: Int) async throws {
    guard test_faults_reach(FaultLayer.system) != 0 else { return }
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let waiting = loop.spawn { () async throws(UVError) in try await listener.accept().value }
      test_faults_arm(ENOMEM, FaultLayer.system, 1, .max / 2, "accept4")
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      for _ in 0..<turns { try await loop.sleep(for: .zero).value }
      if turns == 4 {
        // By itself: nothing is closed here.
        waiting.cancel()
      } else {
        listener.close()
      }
      await expectError(.cancelled, of: try await waiting.value)
      let failures = test_faults_disarm()
      // By the third turn at the latest it has been tried.
      if turns > 2 { #expect(failures > 0) }
      client.close()
    }
  }

  @Test(
    "An accept that fails ends nothing, whatever the reason", .rule(33),
    arguments: [ENOMEM, EMFILE, EAGAIN, EINTR])
  func aFailedAcceptIsNoEnd(error: Int32) async throws {
    guard test_faults_reach(FaultLayer.system) != 0 else { return }
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      for failures in 1...3 {
        test_faults_arm(error, FaultLayer.system, 1, failures, "accept4")
        let accepting = loop.spawn { () async throws(UVError) in try await listener.accept().value }
        var clients: [TCPConnection] = []
        // One that libuv drops for want of a descriptor is followed by another.
        while accepting.resultIfFinished == nil {
          clients.append(try await loop.tcp.connect(to: address).value)
          for _ in 0..<30 where accepting.resultIfFinished == nil {
            try await loop.sleep(for: .milliseconds(1)).value
          }
        }
        #expect(test_faults_disarm() == failures)
        let server = try await accepting.value
        #expect(error == EMFILE || clients.count == 1)
        server.close()
        for client in clients { client.close() }
      }
      listener.close()
    }
  }
}
