#if Everything
import Foundation
import NIOCore
import Testing
import UVNIO
import UVTestSupport

@Suite(.serialized) struct ChannelTests {
  @Test("Bytes come back from an echo, over TCP and over a Unix socket", arguments: [1, 100_000, 5_000_000])
  func echo(size: Int) async throws {
    try await withGroup(2) { group in
      let path = FileManager.default.temporaryDirectory.appendingPathComponent("uvnio-\(getpid()).sock").path
      defer { try? FileManager.default.removeItem(atPath: path) }
      let servers = [
        try serve(group) { [Echo()] },
        try UVServerBootstrap(group: group).childChannelInitializer { $0.pipeline.addHandler(Echo()) }
          .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).wait(),
      ]
      for server in servers {
        let loop = group.next()
        let answer = Collect(on: loop, enough: size)
        let client = try connect(loop, to: server, answer)
        let sent = ByteBuffer(bytes: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try client.writeAndFlush(sent).wait()
        #expect(try answer.end.futureResult.wait() == sent)
        try client.close().wait()
        try server.close().wait()
      }
    }
  }

  @Test("A channel's handlers hear of its life in order")
  func life() async throws {
    let log = Log<String>()
    try await withGroup { group in
      let server = try serve(group) { [] }
      let client = try connect(group, to: server, Events(log))
      #expect(client.isActive && client.isWritable)
      #expect(client.remoteAddress == server.localAddress)
      try client.close().wait()
      try client.closeFuture.wait()
      #expect(!client.isActive)
      #expect(throws: ChannelError.alreadyClosed) { try client.close().wait() }
      #expect(throws: ChannelError.ioOnClosedChannel) { try client.writeAndFlush(ByteBuffer()).wait() }
    }
    #expect(log.values == ["registered", "active", "inactive", "unregistered"])
  }

  @Test("A channel that is closed as its activation is reported was never active for its handlers")
  func closingWhileActivating() async throws {
    let log = Log<String>()
    try await withGroup { group in
      let server = try serve(group) { [] }
      let loop = group.next()
      let closed = try loop.submit { () -> EventLoopFuture<Void> in
        let promise = loop.makePromise(of: Void.self)
        let connected = UVClientBootstrap(group: loop)
          .channelInitializer { channel in
            // Registering is followed by connecting, and this promise is notified first.
            promise.futureResult.whenSuccess { channel.close(promise: nil) }
            return channel.pipeline.addHandlers([CascadeConnect(promise), Events(log)])
          }.connect(to: server.localAddress!)
        return connected.flatMap { $0.closeFuture }
      }.wait()
      try closed.wait()
    }
    #expect(log.values == ["registered", "unregistered"])
  }

  @Test("Many writes of one flush complete in order, and together in few system calls")
  func gathering() async throws {
    let log = Log<Int>()
    try await withGroup { group in
      let (client, received) = try connectToCollector(group)
      try client.eventLoop.submit {
        for number in 0..<3000 {
          client.write(ByteBuffer(integer: UInt32(number))).whenSuccess { log.append(number) }
        }
        client.flush()
      }.wait()
      client.close(mode: .output, promise: nil)
      var bytes = try received.end.futureResult.wait()
      #expect(bytes.readableBytes == 12000)
      let numbers = (0..<3000).map { _ in bytes.readInteger(as: UInt32.self) }
      #expect(numbers == (0..<3000).map { UInt32($0) })
    }
    #expect(log.values == Array(0..<3000))
  }

  @Test("What a promise of a write writes goes out after it, and closing there fails what is left")
  func reentrancy() async throws {
    let log = Log<String>()
    try await withGroup { group in
      let (client, received) = try connectToCollector(group)
      try client.eventLoop.submit {
        client.write(ByteBuffer(string: "a")).whenSuccess {
          client.writeAndFlush(ByteBuffer(string: "c")).whenComplete { _ in
            log.append("c")
            client.write(ByteBuffer(string: "never flushed")).whenFailure { _ in log.append("failed") }
            client.close(promise: nil)
          }
        }
        client.writeAndFlush(ByteBuffer(string: "b"), promise: nil)
      }.wait()
      #expect(String(buffer: try received.end.futureResult.wait()) == "abc")
      try client.closeFuture.wait()
    }
    #expect(log.values == ["c", "failed"])
  }

  @Test(
    "A peer that doesn't read makes the channel unwritable at the high mark, and writable below the low one")
  func waterMarks() async throws {
    let log = Log<String>()
    try await withGroup { group in
      let loop = group.next()
      let server = try UVServerBootstrap(group: loop).childChannelOption(.autoRead, value: false)
        .childChannelInitializer { $0.pipeline.addHandler(Echo()) }.bind(host: "127.0.0.1", port: 0).wait()
      let client = try UVClientBootstrap(group: loop)
        .channelOption(.writeBufferWaterMark, value: .init(low: 10, high: 100))
        .channelInitializer { $0.pipeline.addHandler(Events(log)) }.connect(to: server.localAddress!).wait()
      client.write(ByteBuffer(repeating: 1, count: 101), promise: nil)
      #expect(try loop.submit { client.isWritable }.wait() == false)
      #expect(try client.getOption(.bufferedWritableBytes).wait() == 101)
      client.flush()
      #expect(try loop.submit { client.isWritable }.wait())
      // More than the system takes: it waits, and fails with the channel.
      let lost = client.writeAndFlush(ByteBuffer(repeating: 1, count: 50_000_000))
      #expect(try loop.submit { client.isWritable }.wait() == false)
      client.close(promise: nil)
      #expect(throws: (any Error).self) { try lost.wait() }
      try client.closeFuture.wait()
    }
    #expect(
      log.values == [
        "registered", "active", "not writable", "writable", "not writable", "inactive", "unregistered",
      ])
  }

  @Test("A file's region is sent between buffers, whole and in order")
  func fileRegions() async throws {
    try await withGroup { group in
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("uvnio-\(getpid()).file")
      let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      try content.write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let (client, received) = try connectToCollector(group)
      let handle = try NIOFileHandle(_deprecatedPath: file.path)
      client.write(ByteBuffer(string: "<"), promise: nil)
      client.write(
        IOData.fileRegion(FileRegion(fileHandle: handle, readerIndex: 1, endIndex: content.count)),
        promise: nil)
      try client.writeAndFlush(ByteBuffer(string: ">")).wait()
      try client.close().wait()
      let bytes = try received.end.futureResult.wait()
      #expect(bytes.readableBytesView.dropFirst().dropLast().elementsEqual(content.dropFirst()))
      #expect(bytes.readableBytes == content.count + 1)
      try handle.close()
    }
  }

  @Test("A region that is longer than its file closes the channel, with an error")
  func shortFile() async throws {
    try await withGroup { group in
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("uvnio-\(getpid()).short")
      try Data("short".utf8).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let server = try serve(group) { [] }
      let client = try connect(group, to: server)
      let handle = try NIOFileHandle(_deprecatedPath: file.path)
      let region = IOData.fileRegion(FileRegion(fileHandle: handle, readerIndex: 0, endIndex: 100))
      #expect(throws: IOError.self) { try client.writeAndFlush(region).wait() }
      try client.closeFuture.wait()
      try handle.close()
    }
  }

  @Test("Manual reads: nothing comes before it is asked for, and the peer's end is noticed all the same")
  func manualReads() async throws {
    try await withGroup { group in
      let loop = group.next()
      let answer = Collect(on: loop, enough: 5)
      let server = try serve(loop) { [Greeting()] }
      let client = try UVClientBootstrap(group: loop).channelOption(.autoRead, value: false)
        .channelInitializer { $0.pipeline.addHandler(answer) }.connect(to: server.localAddress!).wait()
      // The greeting has come by the time that the server has sent a reply to this.
      client.read()
      #expect(String(buffer: try answer.end.futureResult.wait()) == "hello")
      try server.close().wait()
      client.writeAndFlush(ByteBuffer(string: "bye"), promise: nil)
      try client.closeFuture.wait()
    }
  }

  @Test("With half-closure, either end may end its output and still read")
  func halfClosure() async throws {
    let log = Log<String>()
    try await withGroup { group in
      let loop = group.next()
      let received = Collect(on: loop)
      let server = try UVServerBootstrap(group: loop).childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelInitializer { channel in
          received.end.futureResult.whenSuccess { bytes in
            channel.write(ByteBuffer(string: "got "), promise: nil)
            channel.writeAndFlush(bytes).whenComplete { _ in channel.close(mode: .output, promise: nil) }
          }
          return channel.pipeline.addHandlers([Events(log), received])
        }.bind(host: "127.0.0.1", port: 0).wait()
      let answer = Collect(on: loop)
      let client = try UVClientBootstrap(group: loop).channelOption(.allowRemoteHalfClosure, value: true)
        .channelInitializer { $0.pipeline.addHandler(answer) }.connect(to: server.localAddress!).wait()
      // On the loop, at once: when the answer has come, the channel is closed altogether.
      let late = loop.flatSubmit {
        client.write(ByteBuffer(string: "all"), promise: nil)
        // It waits for the write before it.
        let ended = client.close(mode: .output)
        client.flush()
        return ended.flatMap { client.writeAndFlush(ByteBuffer(string: "x")) }
      }
      #expect(throws: ChannelError.outputClosed) { try late.wait() }
      #expect(String(buffer: try answer.end.futureResult.wait()) == "got all")
      try client.closeFuture.wait()
    }
    #expect(log.values.contains("inputClosed"))
  }

  @Test("Options can be set and read, also of the socket; one that a channel doesn't have fails")
  func options() async throws {
    try await withGroup { group in
      let server = try serve(group) { [] }
      let client = try connect(group, to: server)
      #expect(try client.getOption(.tcpOption(.tcp_nodelay)).wait() != 0)
      #expect(try client.getOption(.autoRead).wait())
      try client.setOption(.maxMessagesPerRead, value: 7).wait()
      #expect(try client.getOption(.maxMessagesPerRead).wait() == 7)
      try client.setOption(.writeSpin, value: 3).wait()
      #expect(try client.getOption(.writeSpin).wait() == 3)
      try client.setOption(.connectTimeout, value: .seconds(3)).wait()
      #expect(try client.getOption(.connectTimeout).wait() == .seconds(3))
      let provider = try #require(client as? any SocketOptionProvider)
      try provider.setSoLinger(linger(l_onoff: 1, l_linger: 3)).wait()
      #expect(try provider.getSoLinger().wait().l_linger == 3)
      #expect(try server.getOption(.backlog).wait() == 128)
      #expect(throws: ChannelError.operationUnsupported) { try client.setOption(.backlog, value: 3).wait() }
      #expect(throws: ChannelError.operationUnsupported) {
        try server.getOption(.datagramSegmentSize).wait()
      }
      #expect(throws: IOError.self) { try client.setOption(.socket(9999, 9999), value: 1).wait() }
    }
  }

  @Test("Ten thousand connections are opened and closed, and leave nothing") func churn() async throws {
    try await withGroup(2) { group in
      let server = try serve(group) { [Echo()] }
      for _ in 0..<100 {
        let clients = try (0..<100).map { _ in
          UVClientBootstrap(group: group).connect(to: server.localAddress!)
        }.map { try $0.wait() }
        for client in clients { client.close(promise: nil) }
        for client in clients { try client.closeFuture.wait() }
      }
    }
  }
}

/// Sends a greeting when it is connected.
private final class Greeting: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "hello")), promise: nil)
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.close(promise: nil) }
}

/// Notifies a promise that the connection is there, before anybody else hears of it.
private final class CascadeConnect: ChannelOutboundHandler, Sendable {
  typealias OutboundIn = ByteBuffer

  let reported: EventLoopPromise<Void>
  init(_ reported: EventLoopPromise<Void>) { self.reported = reported }

  func connect(context: ChannelHandlerContext, to address: SocketAddress, promise: EventLoopPromise<Void>?) {
    let connected = context.eventLoop.makePromise(of: Void.self)
    connected.futureResult.cascade(to: reported)
    if let promise { connected.futureResult.cascade(to: promise) }
    context.connect(to: address, promise: connected)
  }
}
#endif
