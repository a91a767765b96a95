import Foundation
import Testing
import UV
import UVTestSupport

/// Unix domain sockets whose names have no files.
@Suite(.onTheMachine("abstract names")) struct AbstractNameTests {
  /// A name that no other test has.
  private static func name(_ place: String = #function) -> String { "swift-uv-\(getpid())-\(place)" }

  @Test func `Bytes go there and back through an abstract name`() async throws {
    try await withLoop { loop in
      let name = Self.name()
      let listener = try loop.pipes.listen(abstractName: name)
      let one = try await loop.pipes.connect(abstractName: name).value
      let other = try await listener.accept().value
      try await one.write("there\n").value
      #expect(try await other.readLine(limit: 100).value == "there")
      try await other.write("back\n").value
      #expect(try await one.readLine(limit: 100).value == "back")
      #expect(try other.peerCredentials().processID == getpid())
      // It has no path, and so no permissions.
      #expect(try listener.localPath() == nil && other.localPath() == nil && one.peerPath() == nil)
      await expectError(.invalidArgument, of: try listener.chmod([.read, .write]))
      for stream in [one, other] { stream.close() }
      listener.close()
    }
  }

  @Test func `A name is taken as long as somebody listens, and free afterwards`() async throws {
    try await withLoop { loop in
      let name = Self.name()
      await expectError(.connectionRefused, of: try await loop.pipes.connect(abstractName: name).value)
      let listener = try loop.pipes.listen(abstractName: name)
      await expectError(.addressInUse, of: try loop.pipes.listen(abstractName: name))
      // A name is as long as it is: a part of it is another one.
      await expectError(
        .connectionRefused, of: try await loop.pipes.connect(abstractName: String(name.dropLast())).value)
      try await listener.close().value
      await expectError(.connectionRefused, of: try await loop.pipes.connect(abstractName: name).value)
      let next = try loop.pipes.listen(abstractName: name)
      try await next.close().value
    }
  }

  @Test func `Names that can't be are refused`() async throws {
    try await withLoop { loop in
      for name in ["", "a\0b"] {
        await expectError(.invalidArgument, of: try loop.pipes.listen(abstractName: name))
        await expectError(.invalidArgument, of: try await loop.pipes.connect(abstractName: name).value)
      }
      let longest =
        String(repeating: "x", count: 107 - 8) + String(UInt32.random(in: 10_000_000...99_999_999))
      let listener = try loop.pipes.listen(abstractName: longest)
      (try await loop.pipes.connect(abstractName: longest).value).close()
      listener.close()
      await expectError(.nameTooLong, of: try loop.pipes.listen(abstractName: longest + "x"))
      await expectError(.nameTooLong, of: try await loop.pipes.connect(abstractName: longest + "x").value)
    }
  }

  @Test func `A connection by an abstract name passes handles`() async throws {
    try await withLoop { loop in
      let name = Self.name()
      let listener = try loop.pipes.listen(abstractName: name, passesHandles: true)
      let one = try await loop.pipes.connect(abstractName: name, passesHandles: true).value
      let other = try await listener.accept().value
      let (reading, writing) = try loop.pipes.socketPair()
      try await one.write("yours", passing: writing).value
      #expect(try await other.next().value == "yours")
      let passed = try other.acceptPipeConnection()
      try await passed.write("through").value
      #expect(try await reading.next().value == "through")
      for stream in [one, other, reading, writing, passed] { stream.close() }
      listener.close()
    }
  }
}
