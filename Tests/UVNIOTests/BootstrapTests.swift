#if Everything
import Foundation
import NIOCore
import Testing
import UV
import UVNIO
import UVTestSupport

@Suite(.serialized) struct BootstrapTests {
  @Test("A host is connected to by its name, with the next address if the first refuses")
  func byName() async throws {
    try await withGroup { group in
      // On IPv4 alone, though the name has an IPv6 address too on most machines.
      let server = try serve(group) { [Echo()] }
      let client = try UVClientBootstrap(group: group)
        .connect(host: "localhost", port: server.localAddress!.port!).wait()
      #expect(client.remoteAddress?.ipAddress == "127.0.0.1")
    }
  }

  @Test("A host that doesn't exist, or that refuses, says so with its reasons")
  func failures() async throws {
    try await withGroup { group in
      let server = try serve(group) { [] }
      let address = server.localAddress!
      try server.close().wait()
      #expect(throws: IOError.self) { try UVClientBootstrap(group: group).connect(to: address).wait() }
      let refused = #expect(throws: UVConnectionError.self) {
        try UVClientBootstrap(group: group).connect(host: "127.0.0.1", port: address.port!).wait()
      }
      #expect(refused?.attempts.count == 1)
      #expect(refused?.lookupError == nil)
      let unknown = #expect(throws: UVConnectionError.self) {
        try UVClientBootstrap(group: group).connect(host: "no.such.host.invalid", port: 1).wait()
      }
      #expect(unknown?.lookupError is UVError)
      #expect(unknown?.description.hasPrefix("can't connect to no.such.host.invalid port 1") == true)
    }
  }

  @Test("A peer that doesn't accept makes connecting end at its time limit")
  func connectTimeout() async throws {
    try await withGroup { group in
      // Connections beyond the backlog get no answer.
      let server = try UVServerBootstrap(group: group).serverChannelOption(.backlog, value: 0)
        .serverChannelOption(.autoRead, value: false).bind(host: "127.0.0.1", port: 0).wait()
      let clients = (0..<8).map { _ in
        UVClientBootstrap(group: group).connectTimeout(.milliseconds(100)).connect(to: server.localAddress!)
      }
      let errors = clients.compactMap { client -> ChannelError? in
        do {
          _ = try client.wait()
          return nil
        } catch { return error as? ChannelError }
      }
      #expect(!errors.isEmpty)
      #expect(errors.allSatisfy { $0 == .connectTimeout(.milliseconds(100)) })
    }
  }

  @Test("An initializer that fails closes the channel, and its error is the outcome")
  func failingInitializers() async throws {
    struct Refusal: Error {}
    let log = Log<String>()
    try await withGroup { group in
      let server = try UVServerBootstrap(group: group)
        .childChannelInitializer { $0.eventLoop.makeFailedFuture(Refusal()) }
        .bind(host: "127.0.0.1", port: 0).wait()
      try server.pipeline.addHandler(Events(log)).wait()
      let client = try connect(group, to: server)
      try client.closeFuture.wait()
      #expect(throws: Refusal.self) {
        try UVClientBootstrap(group: group).channelInitializer { $0.eventLoop.makeFailedFuture(Refusal()) }
          .connect(to: server.localAddress!).wait()
      }
      #expect(throws: Refusal.self) {
        try UVServerBootstrap(group: group).serverChannelInitializer {
          $0.eventLoop.makeFailedFuture(Refusal())
        }
        .bind(host: "127.0.0.1", port: 0).wait()
      }
    }
    #expect(log.values.contains("error"))
  }

  @Test("An address that is taken fails with the system's error")
  func addressInUse() async throws {
    try await withGroup { group in
      let server = try serve(group) { [] }
      let error = #expect(throws: IOError.self) {
        try UVServerBootstrap(group: group).bind(to: server.localAddress!).wait()
      }
      #expect(error?.description.contains("Address already in use") == true)
    }
  }

  @Test("A server that is asked to quiesce accepts no more, and its connections go on")
  func quiescing() async throws {
    try await withGroup { group in
      let loop = group.next()
      let server = try serve(loop) { [Echo()] }
      let answer = Collect(on: loop, enough: 2)
      let client = try connect(loop, to: server, answer)
      server.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
      try server.closeFuture.wait()
      client.writeAndFlush(ByteBuffer(string: "on"), promise: nil)
      #expect(String(buffer: try answer.end.futureResult.wait()) == "on")
    }
  }

  @Test("Async channels: a server that is a sequence of connections, and a client, on the loop's executor")
  func asyncChannels() async throws {
    let group = try UVEventLoopGroup(count: 1)
    let loop = group.next() as! UVEventLoop
    let server = try await UVServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0) { channel in
      channel.eventLoop.makeCompletedFuture {
        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
      }
    }
    let address = server.channel.localAddress!
    let serving = Task(executorPreference: loop.taskExecutor) {
      try await server.executeThenClose { connections in
        for try await connection in connections {
          try await connection.executeThenClose { input, output in
            for try await bytes in input {
              #expect(loop.inEventLoop)
              try await output.write(bytes)
            }
          }
          return
        }
      }
    }
    let client = try await UVClientBootstrap(group: group).connect(to: address) { channel in
      channel.eventLoop.makeCompletedFuture {
        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
      }
    }
    let answer = try await client.executeThenClose { input, output in
      try await output.write(ByteBuffer(string: "hello"))
      var answer = ByteBuffer()
      for try await var bytes in input {
        answer.writeBuffer(&bytes)
        if answer.readableBytes == 5 { break }
      }
      return String(buffer: answer)
    }
    #expect(answer == "hello")
    try await serving.value
    try await group.shutdownGracefully()
  }

  @Test("Sockets that were made elsewhere become channels")
  func takingOver() async throws {
    try await withGroup { group in
      let loop = group.next()
      let pair = socketPair()
      let answer = Collect(on: loop, enough: 4)
      _ = try UVClientBootstrap(group: loop).channelInitializer { $0.pipeline.addHandler(Echo()) }
        .withConnectedSocket(pair[0]).wait()
      let client = try UVClientBootstrap(group: loop).channelInitializer { $0.pipeline.addHandler(answer) }
        .withConnectedSocket(pair[1]).wait()
      client.writeAndFlush(ByteBuffer(string: "pair"), promise: nil)
      #expect(String(buffer: try answer.end.futureResult.wait()) == "pair")
    }
  }
}
#endif
