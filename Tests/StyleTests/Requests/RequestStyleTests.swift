#if Everything
import Testing
import UV
import UVTestSupport

/// Each kind of request ends once, and in the same way, in every style.
@Suite struct RequestStyleTests {
  @Test(arguments: Style.allCases) func connectingThroughAPath(style: Style) async throws {
    try await withLoopAndDirectory { loop, directory in
      let listener = try loop.pipes.listen(path: directory + "/listener")
      try await loop.expectEnd(
        nil, style, loop.pipes.connect(path: directory + "/listener").map { $0.close() })
      try await loop.expectEnd(.noSuchFile, style, loop.pipes.connect(path: directory + "/nowhere"))
      listener.close()
    }
  }

  @Test(arguments: Style.allCases) func passingAHandle(style: Style) async throws {
    try await withPair { loop, client, server in
      let (here, there) = try loop.pipes.socketPair(passesHandles: true)
      try await loop.expectEnd(nil, style, here.write("x", passing: server))
      _ = try await there.next().value
      try there.acceptTCPConnection().close()
      try await loop.expectEnd(.invalidArgument, style, here.write("", passing: server))
      here.close()
      there.close()
    }
  }

  @Test(arguments: Style.allCases) func sendingDatagrams(style: Style) async throws {
    try await withLoop { loop in
      let receiver = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let address = try receiver.localAddress()
      try await loop.expectEnd(nil, style, receiver.send("to myself", to: address))
      #expect(try await receiver.next().value?.bytes == "to myself")
      try await loop.expectEnd(
        nil, style, receiver.send([Datagram("a", to: address), Datagram("b", to: address)]))
      try await loop.expectEnd(.destinationRequired, style, receiver.send("to nobody"))
      receiver.close()
    }
  }

  @Test(arguments: Style.allCases) func theEndOfAChild(style: Style) async throws {
    try await withLoop { loop in
      try await loop.expectEnd(nil, style, loop.processes.spawn("true").exit())
      let child = try loop.processes.spawn("cat", stdio: [.pipe])
      let log = Log<UVError.Code?>()
      let cancel = style.start(child.exit(), on: loop, log)
      cancel()
      try await loop.settle()
      child.standardInput!.close()
      #expect(try await child.exit().value.isSuccess)
      try await loop.settle()
      // A subscriber that goes hears nothing.
      let expected: [UVError.Code?] = style == .publisher || style == .future ? [] : [.cancelled]
      #expect(log.values == expected)
    }
  }
}

extension EventLoop {
  /// Runs a request that is to end so, once and not on its caller's stack.
  nonisolated(nonsending) func expectEnd<T>(
    _ code: UVError.Code?, _ style: Style, _ request: Request<T>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let log = Log<UVError.Code?>()
    let keep = style.start(request, on: self, log)
    #expect(log.values.isEmpty, sourceLocation: sourceLocation)
    try await settle { !log.values.isEmpty }
    #expect(log.values == [code], sourceLocation: sourceLocation)
    withExtendedLifetime(keep) {}
  }
}
#endif
