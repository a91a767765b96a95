import Foundation
import Testing
import UV
import UVTestSupport

/// A descriptor has one owner on a loop.
@Suite struct DescriptorOwnershipTests {
  @Test func aSocketIsTakenOverOnce() async throws {
    try await withPair { loop, client, server in
      // Neither is read or written, so that libuv does not poll them.
      for descriptor in [try client.fileDescriptor(), try server.fileDescriptor()] {
        await expectError(.fileExists, of: try loop.tcp.open(fileDescriptor: descriptor))
      }
      let duplicate = dup(try server.fileDescriptor())
      let connection = try loop.tcp.open(fileDescriptor: duplicate)
      await expectError(.fileExists, of: try loop.tcp.open(fileDescriptor: duplicate))
      try await client.write("still there").value
      #expect(try await connection.next().value == "still there")
      // Closed, its number is free for another.
      connection.close()
      let again = dup(try server.fileDescriptor())
      #expect(again == duplicate)
      try loop.tcp.open(fileDescriptor: again).close()
    }
  }

  @Test func aListenersSocketIsNotTakenOver() async throws {
    try await withLoopAndDirectory { loop, directory in
      let listener = try loop.pipes.listen(path: "\(directory)/socket")
      await expectError(.fileExists, of: try loop.pipes.open(fileDescriptor: listener.fileDescriptor()))
      listener.close()
    }
  }

  @Test func aPipeIsTakenOverOnce() async throws {
    try await withLoop { loop in
      var ends: [Int32] = [-1, -1]
      #expect(pipe(&ends) == 0)
      let reading = try loop.pipes.open(fileDescriptor: ends[0])
      let writing = try loop.pipes.open(fileDescriptor: ends[1])
      for end in ends {
        await expectError(.fileExists, of: try loop.pipes.open(fileDescriptor: end))
      }
      let (first, second) = try loop.pipes.socketPair()
      for pipe in [first, second] {
        await expectError(.fileExists, of: try loop.pipes.open(fileDescriptor: pipe.fileDescriptor()))
        pipe.close()
      }
      writing.close()
      #expect(try await reading.next().value == nil)
      reading.close()
    }
  }

  @Test func aDatagramSocketIsTakenOverOnce() async throws {
    try await withLoop { loop in
      let bound = try loop.udp.bind(host: "127.0.0.1", port: 0)
      await expectError(.fileExists, of: try loop.udp.open(fileDescriptor: bound.fileDescriptor()))
      let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
      let socket = try loop.udp.open(fileDescriptor: descriptor)
      await expectError(.fileExists, of: try loop.udp.open(fileDescriptor: descriptor))
      socket.close()
      bound.close()
    }
  }

  @Test func aDescriptorMayHaveSeveralWatchersAndAnOwner() async throws {
    try await withPair { loop, client, server in
      let descriptor = try server.fileDescriptor()
      let watchers = [try loop.poll(descriptor, for: .readable), try loop.poll(descriptor, for: .readable)]
      try await client.write("x").value
      for watcher in watchers { #expect(try await watcher.next().value == .readable) }
      #expect(try await server.next().value == "x")
      for watcher in watchers { watcher.close() }
    }
  }

  @Test(.onTheMachine("a program")) func aChildsPipesAreOwned() async throws {
    try await withLoop { loop in
      let child = try loop.processes.spawn("cat", stdio: [.pipe, .ignore, .ignore])
      let input = try #require(child.standardInput)
      await expectError(.fileExists, of: try loop.pipes.open(fileDescriptor: input.fileDescriptor()))
      input.close()
      #expect(try await child.exit().value.isSuccess)
      child.close()
    }
  }

  @Test func `A connected socket of UDP is no connection of TCP`() async throws {
    try await withLoop { loop in
      let server = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let socket = try loop.udp.connect(to: server.localAddress())
      let descriptor = try socket.fileDescriptor()
      do throws(UVError) {
        _ = try loop.tcp.open(fileDescriptor: descriptor)
        Issue.record("taken")
      } catch { #expect(error.code == .notSupported) }
      socket.close()
      server.close()
    }
  }
}
