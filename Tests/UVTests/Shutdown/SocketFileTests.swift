import CUV
import Foundation
import Synchronization
import Testing
import UV
import UVTestSupport

/// The processes that have a listening socket own its file together; see Design/0067-owners.md.
@Suite(.serialized, .onTheMachine("processes that share sockets")) struct SocketFileTests {
  private static let becomesReady = "printf 1 >&3; exec sleep 60"

  private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

  @Test("A server that closes leaves the file to its successor, and removes it when that has ended")
  func closesBeforeItsSuccessor() async throws {
    try await withLoopAndDirectory { loop, directory in
      let path = directory + "/socket"
      let listener = try loop.pipes.listen(path: path)
      let successor = try await loop.handover("/bin/sh", ["-c", Self.becomesReady]).value
      try await listener.close().value
      #expect(Self.isThere(path))
      try loop.processes.kill(successor, .kill)
      // It can't remove the file itself.
      try await loop.settle { !Self.isThere(path) }
    }
  }

  @Test func `A server that closes before its successor is ready leaves the file to it`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let (path, gate) = (directory + "/socket", directory + "/gate")
      let listener = try loop.pipes.listen(path: path)
      let script = "while ! [ -e \(gate) ]; do sleep 0.01; done; \(Self.becomesReady)"
      let handover = loop.spawn { () async throws(UVError) in
        try await loop.handover("/bin/sh", ["-c", script]).value
      }
      try await loop.sleep(for: .zero).value
      try await listener.close().value
      #expect(Self.isThere(path))
      try await loop.files.writeFile(gate, "").value
      let successor = try await handover.value
      try await loop.pipes.connect(path: path).value.close()
      try loop.processes.kill(successor, .kill)
      try await loop.settle { !Self.isThere(path) }
    }
  }

  @Test func `A server that closes and whose successor fails then leaves nothing`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let path = directory + "/socket"
      let listener = try loop.pipes.listen(path: path)
      let handover = loop.spawn { () async throws(UVError) in
        try await loop.handover("/bin/sh", ["-c", "read line <&3"], within: .milliseconds(200)).value
      }
      try await loop.sleep(for: .zero).value
      try await listener.close().value
      await expectError(.timedOut, of: try await handover.value)
      #expect(!Self.isThere(path))
    }
  }

  @Test func `A file that another server has put in the place of a socket's stays`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let path = directory + "/socket"
      let first = try loop.pipes.listen(path: path)
      #expect(unlink(path) == 0)
      let second = try loop.pipes.listen(path: path)
      try await first.close().value
      try await loop.pipes.connect(path: path).value.close()
      try await second.close().value
      #expect(!Self.isThere(path))
    }
  }

  @Test("A program that asks for a living listener's path disturbs it by nothing, also before it listens")
  func probing() async throws {
    try await withLoopAndDirectory { loop, directory in
      let path = directory + "/socket"
      let descriptor = cuv_bind_path(path)
      #expect(descriptor >= 0)
      await expectError(.addressInUse, of: try loop.pipes.listen(path: path, replacesStale: true))
      close(descriptor)
      let listener = try loop.pipes.listen(path: path, replacesStale: true)
      await expectError(.addressInUse, of: try loop.pipes.listen(path: path, replacesStale: true))
      var entry = pollfd(fd: try listener.fileDescriptor(), events: Int16(POLLIN), revents: 0)
      #expect(poll(&entry, 1, 0) == 0)
      listener.close()
    }
  }

  @Test func `A listener that can't listen leaves no file`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let path = directory + "/socket"
      await expectError(.invalidArgument, of: try loop.pipes.listen(path: path, backlog: 0))
      #expect(!Self.isThere(path))
    }
  }

  @Test(
    "A successor that closes leaves the file to its predecessor and to systemd, and removes it if it is the last",
    arguments: [true, false], [true, false])
  func successor(hasPredecessor: Bool, isSystemds: Bool) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/socket"
      await #expect(processExitsWith: .success) {
        [path = path as String, hasPredecessor = hasPredecessor as Bool, isSystemds = isSystemds as Bool] in
        inherit(path: path, isKeptOpen: hasPredecessor, hasFile: !isSystemds)
        try EventLoop.run { loop in
          let listener = try loop.pipes.listen(path: path)
          try await listener.close().value
        }
        let isRight = (access(path, F_OK) == 0) == (hasPredecessor || isSystemds)
        exit(isRight ? 0 : 1)
      }
    }
  }

  @Test func `A successor that doesn't listen removes the file with the socket if it is the last`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let path = directory + "/socket"
      await #expect(processExitsWith: .success) { [path = path as String] in
        inherit(path: path, isKeptOpen: false, hasFile: true)
        try ServiceManager.notify(.ready)
        let isRight = access(path, F_OK) != 0
        exit(isRight ? 0 : 1)
      }
    }
  }
}

/// What a predecessor passes, at descriptors that nothing else in the test's process has.
private func inherit(path: String, isKeptOpen: Bool, hasFile: Bool) {
  let socket = cuv_bind_path(path)
  var pair: (Int32, Int32) = (0, 0)
  let isPair = withUnsafeMutableBytes(of: &pair) {
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, $0.baseAddress!.assumingMemoryBound(to: Int32.self))
  }
  guard socket >= 0, isPair == 0, listen(socket, 5) == 0 else { exit(2) }
  PassedSockets.firstDescriptor.store(200, ordering: .relaxed)
  dup2(pair.1, 200)
  dup2(socket, 201)
  for descriptor in [pair.0, pair.1] { close(descriptor) }
  if !isKeptOpen { close(socket) }
  setenv("UV_HANDOVER", "1", 1)
  setenv("UV_HANDOVER_0", ":unix:\(path)", 1)
  setenv("UV_HANDOVER_FILES", hasFile ? "0" : "", 1)
}
