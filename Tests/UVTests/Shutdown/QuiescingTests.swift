import Foundation
import Testing
import UV
import UVTestSupport

@Suite struct QuiescingTests {
  @Test("A connection learns that its server is ending, and one that the program made does not")
  func connections() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let server = try await listener.accept().value
      let log = Log<String>()
      server.quiescing { log.append("server \($0.error?.name ?? "ends")") }
      client.quiescing { log.append("client \($0.error?.name ?? "ends")") }
      #expect(!server.isQuiescing)
      loop.shutdownGracefully(within: .seconds(1000)) { log.append("shutdown \($0.value?.count ?? -1)") }
      #expect(server.isQuiescing)
      #expect(!client.isQuiescing)
      #expect(log.values.isEmpty)
      try await loop.sleep(for: .zero).value
      #expect(log.values == ["server ends"])
      // What has begun is answered.
      try await client.write("last request").value
      #expect(try await server.next().value == "last request")
      try await server.write("last answer").value
      try await server.close().value
      #expect(try await client.next().value == "last answer")
      #expect(log.values == ["server ends", "shutdown 0"])
      try await client.close().value
      #expect(log.values.last == "client ECANCELED")
      _ = listener
    }
  }

  @Test("A connection whose end of service is waited for keeps itself, and ends with its close")
  func ownership() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let log = Log<String>()
      var pending = PendingRequest()
      var server: TCPConnection? = try await listener.accept().value
      pending = server!.quiescing { log.append($0.error?.name ?? "ends") }
      pending.cancel()
      pending = server!.quiescing { log.append($0.error?.name ?? "ends") }
      server = nil
      try await loop.sleep(for: .milliseconds(1)).value
      #expect(log.values == ["ECANCELED"])
      #expect(loop.statistics.handles == 3)
      pending.cancel()
      // The last who waited has gone, and with it the connection.
      #expect(try await client.next().value == nil)
      #expect(log.values == ["ECANCELED", "ECANCELED"])
      pending.cancel()
      client.close()
      listener.close()
    }
  }

  @Test(
    "Connections that the system has accepted before a graceful shutdown are served",
    arguments: [false, true])
  func waitingConnections(withHandler: Bool) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      var clients: [TCPConnection] = []
      for _ in 0..<100 {
        clients.append(try await loop.tcp.connect(to: listener.localAddress()).value)
        try await clients.last!.write("request").value
      }
      let serve: (TCPConnection) -> Void = { connection in
        #expect(connection.isQuiescing)
        loop.spawn {
          do {
            #expect(try await connection.next().value == "request")
            try await connection.write("answer").value
          } catch { Issue.record(error) }
          connection.close()
        }
      }
      if withHandler {
        listener.start { if case .success(let connection?) = $0 { serve(connection) } }
      } else {
        loop.spawn {
          do { for try await connection in listener { serve(connection) } } catch { Issue.record(error) }
        }
        // The task asks for the first one.
        await Task.yield()
      }
      let shutdown = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(within: .seconds(1000)).value
      }
      for client in clients {
        #expect(try await client.next().value == "answer")
        client.close()
      }
      #expect(try await shutdown.value.count == 0)
      #expect(listener.isClosing)
    }
  }

  @Test("A listener that nobody asks for more ends at once, and whom it hasn't served is in the report")
  func noReader() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      let first = try await loop.tcp.connect(to: address).value
      let second = try await loop.tcp.connect(to: address).value
      // It takes one connection, and no more.
      listener.next { _ in }
      let report = try await loop.shutdownGracefully(within: .seconds(1000)).value
      #expect(report.count == 1)
      #expect(try report.peers == [second.localAddress()])
      for client in [first, second] {
        let end = await code { () async throws(UVError) in _ = try await client.next().value }
        #expect(end == nil || end == .connectionReset)
        client.close()
      }
    }
  }

  @Test(
    "A server that serves one after the other serves those who waited when it was to end",
    arguments: [1, 2, 20])
  func oneAfterTheOther(count: Int) async throws {
    let log = Log<String>()
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      let service = loop.spawn { () async throws(UVError) in
        for try await connection in listener {
          while let line = try await connection.readLine(limit: 100).value {
            log.append(line.description)
            try await connection.write([line, "\n"]).value
          }
          try await connection.close().value
        }
        log.append("end")
      }
      var clients: [TCPConnection] = []
      for number in 0...count {
        clients.append(try await loop.tcp.connect(to: address).value)
        try await clients.last!.write([Bytes("\(number)"), "\n"]).value
      }
      _ = try await clients[0].readLine(limit: 100).value
      let shutdown = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(within: .seconds(1000)).value
      }
      try await loop.settle { loop.isShuttingDown }
      // One that comes now is too late.
      let late = try? await loop.tcp.connect(to: address).value
      for (number, client) in clients.enumerated() {
        if number > 0 { #expect(try await client.readLine(limit: 100).value == Bytes("\(number)")) }
        try await client.close().value
      }
      #expect(try await shutdown.value.count == 0)
      try await service.value
      late?.close()
    }
    #expect(log.values == (0...count).map(String.init) + ["end"])
  }

  @Test(
    "A listener that is closed, or dropped, while its service ends keeps nothing", arguments: [false, true])
  func closedWhileItWaits(drops: Bool) async throws {
    try await withLoop { loop in
      var listener: TCPListener? = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener!.localAddress()
      let first = try await loop.tcp.connect(to: address).value
      let second = try await loop.tcp.connect(to: address).value
      let served = try await listener!.accept().value
      let shutdown = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(within: drops ? .milliseconds(20) : .seconds(1000)).value
      }
      try await loop.sleep(for: .milliseconds(1)).value
      if !drops { listener!.close() }
      listener = nil
      if !drops { served.close() }
      #expect(try await shutdown.value.count == (drops ? 2 : 0))
      for client in [first, second] {
        _ = await code { () async throws(UVError) in _ = try await client.next().value }
        client.close()
      }
      served.close()
    }
  }

  @Test("A listener that serves one after the other comes to its end in a graceful shutdown")
  func aBusyListenerEndsGracefully() async throws {
    let log = Log<String>()
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      let service = loop.spawn { () async throws(UVError) in
        for try await connection in listener {
          log.append("serving")
          while let bytes = try await connection.next().value { try await connection.write(bytes).value }
          try await connection.close().value
        }
        log.append("end")
      }
      let client = try await loop.tcp.connect(to: address).value
      try await client.write("x").value
      _ = try await client.next().value
      let shutdown = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(within: .seconds(1000)).value
      }
      try await loop.sleep(for: .zero).value
      try await client.close().value
      _ = try await shutdown.value
      try await service.value
    }
    #expect(log.values == ["serving", "end"])
  }
}
