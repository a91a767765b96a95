import CUV
import Foundation
import Testing
import UV
import UVTestSupport

/// What a service manager hears of a process that hands over, and what its loop is left with.
@Suite(.serialized, .onTheMachine("processes that take over sockets")) struct HandoverNoticeTests {
  /// The datagrams that have come to a socket, without what is another number each time.
  private static func notices(_ descriptor: Int32) -> [String] {
    var notices: [String] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count < 0 { return notices }
      let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
      notices.append(lines.filter { !$0.hasPrefix("MONOTONIC_USEC=") }.joined(separator: " "))
    }
  }

  @Test func `It hears that the process reloads, and of the new one, or that the old one goes on`()
    async throws
  {
    try await withLoopAndDirectory { loop, directory in
      let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      defer { _ = CUV.close(descriptor) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(directory)/notify".utf8) }
      let code = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(code == 0)
      try Environment.set("NOTIFY_SOCKET", to: "\(directory)/notify")
      defer { try? Environment.unset("NOTIFY_SOCKET") }
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      await expectError(.connectionAborted, of: try await loop.handover("/bin/sh", ["-c", "exit 1"]).value)
      #expect(Self.notices(descriptor) == ["RELOADING=1", "READY=1"])
      let script = "printf 1 >&3; exec sleep 60"
      let successor = try await loop.handover("/bin/sh", ["-c", script]).value
      #expect(Self.notices(descriptor) == ["RELOADING=1", "MAINPID=\(successor) READY=1"])
      // One that can't begin is none to hear of.
      await expectError(.alreadyInProgress, of: try await loop.handover("/bin/sh", ["-c", script]).value)
      #expect(Self.notices(descriptor) == [])
      try loop.processes.kill(successor, .kill)
      try await loop.settle(untilGone: successor)
      listener.close()
    }
  }

  @Test func `A socket that a child of the successor has holds up nobody once the successor has been killed`()
    async throws
  {
    try await withLoopAndDirectory { loop, directory in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let file = directory + "/process"
      let script = "sleep 60 & echo $! > \(file).new; mv \(file).new \(file); exec sleep 60"
      let task = loop.spawn { () async throws(UVError) in
        try await loop.handover("/bin/sh", ["-c", script], within: .seconds(60)).value
      }
      try await loop.settle { FileManager.default.fileExists(atPath: file) }
      let text = "\(try await loop.files.readFile(file).value)"
      let grandchild = try #require(Int32(text.dropLast()))
      task.cancel()
      await expectError(.cancelled, of: try await task.value)
      try await loop.until { loop.statistics.handles == 1 }
      try loop.processes.kill(grandchild, .kill)
      listener.close()
    }
  }
}
