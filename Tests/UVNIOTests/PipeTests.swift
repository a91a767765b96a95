#if Everything
import Foundation
import NIOCore
import Testing
import UV
import UVNIO
import UVTestSupport

@Suite(.serialized) struct PipeTests {
  @Test("What comes from one pipe goes to the other", arguments: [1, 1_000_000])
  func echo(size: Int) async throws {
    try await withGroup { group in
      let (there, back) = try (Ends(), Ends())
      let echo = try UVPipeBootstrap(group: group).channelInitializer { $0.pipeline.addHandler(Echo()) }
        .takingOwnershipOfDescriptors(input: there.reader, output: back.writer).wait()
      #expect(echo.isActive && echo.isWritable && echo.localAddress == nil)
      let answer = Collect(on: group.next(), enough: size)
      let client = try UVPipeBootstrap(group: group).channelInitializer { $0.pipeline.addHandler(answer) }
        .takingOwnershipOfDescriptors(input: back.reader, output: there.writer).wait()
      let sent = ByteBuffer(bytes: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      try client.writeAndFlush(sent).wait()
      #expect(try answer.end.futureResult.wait() == sent)
      try client.close().wait()
      // The end of its input is the end of the echo.
      try echo.closeFuture.wait()
    }
  }

  @Test("With one end, the other direction is closed from the beginning")
  func oneEnd() async throws {
    let (reading, writing) = (Log<String>(), Log<String>())
    try await withGroup { group in
      let pipe = try Ends()
      let received = Collect(on: group.next(), enough: 5)
      let reader = try UVPipeBootstrap(group: group)
        .channelInitializer { $0.pipeline.addHandlers([Events(reading), received]) }
        .takingOwnershipOfDescriptor(input: pipe.reader).wait()
      let writer = try UVPipeBootstrap(group: group)
        .channelInitializer { $0.pipeline.addHandler(Events(writing)) }
        .takingOwnershipOfDescriptor(output: pipe.writer).wait()
      #expect(throws: ChannelError.outputClosed) { try reader.writeAndFlush(ByteBuffer(string: "no")).wait() }
      try writer.writeAndFlush(ByteBuffer(string: "hello")).wait()
      #expect(try String(buffer: received.end.futureResult.wait()) == "hello")
      try writer.close().wait()
      try reader.closeFuture.wait()
    }
    #expect(reading.values == ["registered", "active", "outputClosed", "inactive", "unregistered"])
    #expect(writing.values == ["registered", "active", "inputClosed", "inactive", "unregistered"])
  }

  @Test("A reader that goes away ends the output, and the input goes on; a write that waits fails")
  func lostReader() async throws {
    let log = Log<String>()
    try await withGroup { group in
      let (there, back) = try (Ends(), Ends())
      let received = Collect(on: group.next(), enough: 5)
      let channel = try UVPipeBootstrap(group: group)
        .channelInitializer { $0.pipeline.addHandlers([Events(log), received]) }
        .takingOwnershipOfDescriptors(input: there.reader, output: back.writer).wait()
      close(back.reader)
      try wait(for: "outputClosed", in: log)
      #expect(channel.isActive)
      #expect(throws: ChannelError.outputClosed) {
        try channel.writeAndFlush(ByteBuffer(string: "no")).wait()
      }
      #expect(write(there.writer, "hello", 5) == 5)
      #expect(try String(buffer: received.end.futureResult.wait()) == "hello")
      close(there.writer)
      try channel.closeFuture.wait()

      let pipe = try Ends()
      let writer = try UVPipeBootstrap(group: group).takingOwnershipOfDescriptor(output: pipe.writer).wait()
      let waiting = writer.writeAndFlush(ByteBuffer(repeating: 1, count: 1_000_000))
      // The write has begun when this is answered.
      _ = try writer.getOption(.bufferedWritableBytes).wait()
      close(pipe.reader)
      let error = #expect(throws: IOError.self) { try waiting.wait() }
      #expect(error?.errnoCode == EPIPE)
      try writer.closeFuture.wait()
    }
  }

  @Test("The end of the input leaves the output open if the channel allows that")
  func halfClosure() async throws {
    let log = Log<String>()
    try await withGroup { group in
      let (there, back) = try (Ends(), Ends())
      let channel = try UVPipeBootstrap(group: group).channelOption(.allowRemoteHalfClosure, value: true)
        .channelInitializer { $0.pipeline.addHandler(Events(log)) }
        .takingOwnershipOfDescriptors(input: there.reader, output: back.writer).wait()
      close(there.writer)
      try wait(for: "inputClosed", in: log)
      try channel.writeAndFlush(ByteBuffer(string: "late")).wait()
      try channel.close(mode: .output).wait()
      try channel.closeFuture.wait()
      var bytes = [UInt8](repeating: 0, count: 8)
      #expect(read(back.reader, &bytes, 8) == 4 && read(back.reader, &bytes, 8) == 0)
      close(back.reader)
    }
  }

  @Test(
    "A channel whose input has ended hands out its output's descriptor, and not the number of a closed one")
  func descriptor() async throws {
    let log = Log<String>()
    try await withGroup { group in
      let (there, back) = try (Ends(), Ends())
      let channel = try UVPipeBootstrap(group: group).channelOption(.allowRemoteHalfClosure, value: true)
        .channelInitializer { $0.pipeline.addHandler(Events(log)) }
        .takingOwnershipOfDescriptors(input: there.reader, output: back.writer).wait()
      let descriptor: @Sendable () throws -> Int32? = {
        try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
          $0
        }
      }
      #expect(try group.next().submit(descriptor).wait() == there.reader)
      close(there.writer)
      try wait(for: "inputClosed", in: log)
      // The next file gets the number of the one that was closed.
      let other = open("/etc/passwd", O_RDONLY)
      #expect(other == there.reader)
      #expect(try group.next().submit(descriptor).wait() == back.writer)
      try channel.writeAndFlush(ByteBuffer(string: "late")).wait()
      try channel.close().wait()
      #expect(try group.next().submit(descriptor).wait() == nil)
      close(other)
      close(back.reader)
    }
  }

  @Test("One descriptor serves both directions")
  func bothDirections() async throws {
    try await withGroup { group in
      let pair = socketPair()
      let channel = try UVPipeBootstrap(group: group).channelInitializer { $0.pipeline.addHandler(Echo()) }
        .takingOwnershipOfDescriptor(inputOutput: pair[0]).wait()
      #expect(write(pair[1], "hello", 5) == 5)
      var bytes = [UInt8](repeating: 0, count: 8)
      #expect(read(pair[1], &bytes, 8) == 5)
      close(pair[1])
      try channel.closeFuture.wait()
    }
  }

  @Test("A file isn't accepted, and stays the caller's")
  func files() async throws {
    try await withGroup { group in
      let file = open("/etc/passwd", O_RDONLY)
      #expect(throws: ChannelError.operationUnsupported) {
        try UVPipeBootstrap(group: group).takingOwnershipOfDescriptor(input: file).wait()
      }
      #expect(close(file) == 0)
    }
  }

  @Test("A loop that ends closes its pipes")
  func end() async throws {
    let log = Log<String>()
    try await withThread {
      let (there, back) = try (Ends(), Ends())
      try UV.EventLoop.run { loop in
        _ = try await UVPipeBootstrap(group: loop.nio)
          .channelInitializer { $0.pipeline.addHandler(Events(log)) }
          .takingOwnershipOfDescriptors(input: there.reader, output: back.writer).get()
        loop.stop()
      }
      close(there.writer)
      close(back.reader)
    }
    #expect(log.values == ["registered", "active", "inactive", "unregistered"])
  }

  /// The two ends of a pipe.
  private struct Ends {
    let reader: Int32
    let writer: Int32

    init() throws {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
      (reader, writer) = (ends[0], ends[1])
    }
  }

  private func wait(for event: String, in log: Log<String>) throws {
    while !log.values.contains(event) { usleep(1000) }
  }
}
#endif
