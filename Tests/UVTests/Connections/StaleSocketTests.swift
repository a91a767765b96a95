import Foundation
import Testing
import UV
import UVTestSupport

/// Listening where a program that has crashed has left its socket.
@Suite struct StaleSocketTests {
  /// A socket that is bound to a path and doesn't listen. Its file stays when it closes, as after a crash.
  private static func bindSocket(at path: String, datagrams: Bool = false) throws -> Int32 {
    #if os(Linux)
    let kind = Int32((datagrams ? SOCK_DGRAM : SOCK_STREAM).rawValue)
    #else
    let kind = datagrams ? SOCK_DGRAM : SOCK_STREAM
    #endif
    let descriptor = socket(AF_UNIX, kind, 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(code == 0)
    return descriptor
  }

  private static func leaveSocket(at path: String) throws { close(try bindSocket(at: path)) }

  @Test func `A socket that nobody listens on is replaced if one says so, and serves then`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let path = directory + "/socket"
      try Self.leaveSocket(at: path)
      await expectError(.addressInUse, of: try loop.pipes.listen(path: path))
      let listener = try loop.pipes.listen(path: path, replacesStale: true)
      let client = try await loop.pipes.connect(path: path).value
      let server = try await listener.accept().value
      for handle in [client, server] { handle.close() }
      listener.close()
    }
  }

  @Test func `A socket that somebody listens on stays, also if its queue is full`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let path = directory + "/socket"
      let listener = try loop.pipes.listen(path: path, backlog: 1)
      var clients: [PipeConnection] = []
      for _ in 0..<5 {
        await expectError(.addressInUse, of: try loop.pipes.listen(path: path, replacesStale: true))
        // The attempts above wait in the listener's queue, too.
        if let client = try? await loop.pipes.connect(path: path).value { clients.append(client) }
      }
      #expect(FileManager.default.fileExists(atPath: path))
      for client in clients { client.close() }
      listener.close()
    }
  }

  @Test("What isn't a socket stays, whatever it is: a file, a directory, a link to a stale socket")
  func others() async throws {
    try await withLoopAndDirectory { loop, directory in
      try Data("precious".utf8).write(to: URL(fileURLWithPath: directory + "/file"))
      try FileManager.default.createDirectory(
        atPath: directory + "/folder", withIntermediateDirectories: false)
      try Self.leaveSocket(at: directory + "/stale")
      try FileManager.default.createSymbolicLink(
        atPath: directory + "/link", withDestinationPath: directory + "/stale")
      for name in ["file", "folder", "link"] {
        await expectError(
          .addressInUse, of: try loop.pipes.listen(path: "\(directory)/\(name)", replacesStale: true))
      }
      #expect(try String(contentsOfFile: directory + "/file", encoding: .utf8) == "precious")
      #expect(FileManager.default.fileExists(atPath: directory + "/stale"))
    }
  }

  @Test func `A socket for datagrams stays while its owner has it`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let path = directory + "/datagrams"
      let descriptor = try Self.bindSocket(at: path, datagrams: true)
      defer { close(descriptor) }
      await expectError(.addressInUse, of: try loop.pipes.listen(path: path, replacesStale: true))
      #expect(FileManager.default.fileExists(atPath: path))
    }
  }
}
