import CUV
import Foundation
import Synchronization
import Testing
import UV
import UVTestSupport

/// A process that gives its listeners to its successor. Successors here are shell scripts: what a program of
/// this library does as one is tested with the example FileServer.
@Suite(.serialized, .onTheMachine("processes that take over sockets")) struct HandoverTests {
  private static let becomesReady = "printf 1 >&3; exec sleep 60"

  private nonisolated(nonsending) static func end(_ successor: Int32, _ loop: EventLoop) async throws {
    try loop.processes.kill(successor, .kill)
    try await loop.settle(untilGone: successor)
  }

  private nonisolated(nonsending) static func error(_ loop: EventLoop, _ script: String) async -> UVError? {
    do throws(UVError) {
      _ = try await loop.handover("/bin/sh", ["-c", script], within: .seconds(20)).value
      return nil
    } catch { return error }
  }

  @Test("A successor gets the sockets with their names and places, and no file of theirs is removed")
  func success() async throws {
    try await withLoopAndDirectory { loop, directory in
      let (path, report) = (directory + "/socket", directory + "/report")
      let tcp = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let pipe = try loop.pipes.listen(path: path)
      // What this process has learned itself doesn't go on. A name that begins alike is the program's own.
      let stale = [
        "WATCHDOG_PID", "LISTEN_PID", "LISTEN_PIDFDID", "LISTEN_FDS", "LISTEN_FDNAMES", "UV_HANDOVER",
        "UV_HANDOVER_1",
        "UV_HANDOVER_7", "UV_HANDOVER_FILES",
      ]
      for name in stale { try Environment.set(name, to: "stale") }
      try Environment.set("UV_HANDOVERS", to: "kept")
      defer { for name in stale + ["UV_HANDOVERS"] { try? Environment.unset(name) } }
      let script = "env > \(report); ls -l /proc/self/fd >> \(report); \(Self.becomesReady)"
      let successor = try await loop.handover("/bin/sh", ["-c", script]).value
      let text = "\(try await loop.files.readFile(report).value)"
      #expect(!text.contains("=stale") && text.contains("UV_HANDOVERS=kept\n"))
      #expect(text.contains("UV_HANDOVER=2\n"))
      #expect(text.contains("UV_HANDOVER_FILES=1\n"))
      #expect(text.contains("UV_HANDOVER_0=:127.0.0.1:0\n"))
      #expect(text.contains("UV_HANDOVER_1=:unix:\(path)\n"))
      for descriptor in 3...5 { #expect(text.contains(" \(descriptor) -> socket:")) }
      #expect(!text.contains(" 6 -> socket:"))

      // A client that connects now waits in the queue of the successor, which has the same socket.
      let address = try tcp.localAddress()
      try await tcp.close().value
      try await pipe.close().value
      for _ in 0..<3 { try await loop.tcp.connect(to: address).value.close() }
      #expect(FileManager.default.fileExists(atPath: path))
      try await loop.pipes.connect(path: path).value.close()
      try await Self.end(successor, loop)
    }
  }

  @Test(
    "A successor that ends before it is ready changes nothing, and the error says how it ended",
    arguments: [
      ("exit 3", "the successor ended with code 3 before it was ready"),
      ("kill -9 $$", "the successor ended with signal 9 before it was ready"),
      ("exec 3>&-; exec sleep 60", "the successor closed its descriptor 3 before it was ready"),
    ])
  func ends(script: String, subject: String) async throws {
    try await withLoopAndDirectory { loop, directory in
      let listener = try loop.pipes.listen(path: directory + "/socket")
      for _ in 0..<2 {
        let error = await Self.error(loop, script)
        #expect(error?.code == .connectionAborted && error?.subject == subject)
        // Neither a limit nor a socket of the successor's.
        #expect(loop.statistics.timers == 0)
        try await loop.until { loop.statistics.handles == 1 }
      }
      let peer = try await loop.pipes.connect(path: directory + "/socket").value
      let accepted = try await listener.accept().value
      try await accepted.write("still here").value
      #expect(try await peer.next().value == "still here")
      try await listener.close().value
      #expect(!FileManager.default.fileExists(atPath: directory + "/socket"))
      peer.close()
      accepted.close()
    }
  }

  @Test("A successor that takes too long is killed, and so is one whose caller is cancelled")
  func late() async throws {
    try await withLoopAndDirectory { loop, directory in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let file = directory + "/process"
      let script = "echo $$ > \(file).new; mv \(file).new \(file); exec sleep 60"
      for isCancelled in [false, true] {
        let task = loop.spawn { () async throws(UVError) in
          try await loop.handover(
            "/bin/sh", ["-c", script], within: .milliseconds(isCancelled ? 60_000 : 2000)
          )
          .value
        }
        try await loop.settle { FileManager.default.fileExists(atPath: file) }
        let text = "\(try await loop.files.readFile(file).value)"
        let process = try #require(Int32(text.dropLast()))
        if isCancelled { task.cancel() }
        do throws(UVError) {
          _ = try await task.value
          Issue.record("a successor that isn't ready")
        } catch { #expect(error.code == (isCancelled ? .cancelled : .timedOut)) }
        try await loop.settle(untilGone: process)
        try await loop.files.unlink(file).value
      }
      listener.close()
    }
  }

  @Test func `A successor has the program's own variables, whatever their bytes`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let report = directory + "/report"
      setenv("LISTEN_ADDRESS", "0.0.0.0", 1)
      let bytes: [CChar] = [-1, 65, -2, 0]
      setenv("UV_TEST_BYTES", bytes, 1)
      defer { for name in ["LISTEN_ADDRESS", "UV_TEST_BYTES"] { unsetenv(name) } }
      let script = "env > \(report); \(Self.becomesReady)"
      let successor = try await loop.handover("/bin/sh", ["-c", script]).value
      let text = try await loop.files.readFile(report).value
      for line in [
        Array("LISTEN_ADDRESS=0.0.0.0\n".utf8), Array("UV_TEST_BYTES=".utf8) + [255, 65, 254, 10],
      ] {
        #expect(Data(Array(text)).range(of: Data(line)) != nil)
      }
      listener.close()
      try await Self.end(successor, loop)
    }
  }

  @Test("Sockets of systemd's for all addresses and with abstract names are taken, each as what it is")
  func systemd() async throws {
    await #expect(processExitsWith: .success) {
      PassedSockets.firstDescriptor.store(200, ordering: .relaxed)
      let all = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
      let (named, _) = (socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0), listen(all, 5))
      var name = sockaddr_un()
      name.sun_family = sa_family_t(AF_UNIX)
      let text = [0] + Array("uv-test-\(getpid())".utf8)
      withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: text) }
      let size = socklen_t(MemoryLayout<sa_family_t>.size + text.count)
      let isBound = withUnsafePointer(to: &name) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(named, $0, size) }
      }
      guard all >= 0, isBound == 0, listen(named, 5) == 0 else { exit(2) }
      for (descriptor, place) in zip([all, named], [Int32(200), 201]) {
        dup2(descriptor, place)
        close(descriptor)
      }
      setenv("LISTEN_PID", "\(getpid())", 1)
      setenv("LISTEN_FDS", "2", 1)
      setenv("LISTEN_FDNAMES", "web:bus", 1)
      let isRight = try EventLoop.runCallbacks { loop in
        var bound = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutableBytes(of: &bound) {
          _ = getsockname(200, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
        }
        let port = Int(UInt16(bigEndian: bound.sin6_port))
        let isNoTCP = try loop.tcp.passedListener("bus") == nil
        let bus = try loop.pipes.passedListener("bus")
        let web = try loop.tcp.listen(port: port)
        let isTaken = try web.localAddress().isIPv6 && loop.tcp.passedListener("web") == nil
        bus?.close()
        web.close()
        return isNoTCP && bus != nil && isTaken
      }
      exit(isRight ? 0 : 1)
    }
  }

  @Test("The loops of a group share a socket of systemd's, and each accepts from it", arguments: [1, 3])
  func systemdGroup(loops: Int) async throws {
    await #expect(processExitsWith: .success) { [loops = loops as Int] in
      PassedSockets.firstDescriptor.store(200, ordering: .relaxed)
      let made = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
      guard made >= 0, listen(made, 500) == 0 else { exit(2) }
      dup2(made, 200)
      close(made)
      setenv("LISTEN_PID", "\(getpid())", 1)
      setenv("LISTEN_FDS", "1", 1)
      let group = try EventLoopGroup(count: loops)
      let served = Log<ObjectIdentifier>()
      try EventLoop.run { loop in
        var bound = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutableBytes(of: &bound) {
          _ = getsockname(200, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
        }
        let port = Int(UInt16(bigEndian: bound.sin6_port))
        let address = try await group.serve(port: port) { connection in
          served.append(ObjectIdentifier(connection.loop))
          _ = try? await connection.write("x").value
        }
        guard address.isIPv6, address.port == port else { exit(3) }
        // As many as it takes: which process accepts is up to the system.
        for _ in 0..<10_000 where Set(served.values).count < loops {
          try await loop.withTasks { tasks in
            for _ in 0..<10 {
              tasks.spawn { _ = try await loop.tcp.connect(host: "127.0.0.1", port: port).value.next().value }
            }
          }
        }
        _ = await group.shutdownGracefully(within: .seconds(10))
      }
      exit(Set(served.values).count == loops ? 0 : 1)
    }
  }

  @Test func `There is one successor at a time, and another one after its end`() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let successor = try await loop.handover("/bin/sh", ["-c", Self.becomesReady]).value
      #expect(await Self.error(loop, Self.becomesReady)?.code == .alreadyInProgress)
      try await Self.end(successor, loop)
      let second = try await loop.handover("/bin/sh", ["-c", Self.becomesReady]).value
      try await Self.end(second, loop)
      listener.close()
    }
  }

  @Test("Without a listener, and without the program, the error says so, and nothing is left")
  func wrong() async throws {
    try await withLoop { loop in
      let error = await Self.error(loop, Self.becomesReady)
      #expect(error?.code == .invalidArgument)
      #expect(error?.subject?.hasPrefix("nothing listens") == true)
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      do throws(UVError) {
        _ = try await loop.handover("/no/such/program").value
        Issue.record("there is no such program")
      } catch { #expect(error.code == .noSuchFile) }
      #expect(await Self.error(loop, "exit 1")?.code == .connectionAborted)
      listener.close()
    }
  }

  @Test(
    "The end of the loop kills a successor that isn't ready, also one that has closed its descriptor",
    arguments: ["", "exec 3>&-;"])
  func loopEnds(begin: String) async throws {
    let log = Log<Result<Int32, UVError>>()
    try await withTemporaryDirectory { directory in
      let file = directory + "/process"
      try await withThread {
        let loop = try EventLoop()
        try loop.runCallbacks { loop in
          // It stays open while it is read.
          try loop.tcp.listen(host: "127.0.0.1", port: 0).start { _ in }
          let script = "\(begin) echo $$ > \(file).new; mv \(file).new \(file); exec sleep 60"
          loop.handover("/bin/sh", ["-c", script]) { log.append($0) }
          loop.spawn {
            try await loop.settle { FileManager.default.fileExists(atPath: file) }
            loop.stop()
          }
        }
        #expect(log.values.isEmpty)
        loop.shutdown()
      }
      let process = try #require(Int32(try String(contentsOfFile: file, encoding: .utf8).dropLast()))
      // Not even a zombie is left.
      #expect(kill(process, 0) == -1)
    }
    #expect(log.values.count == 1)
    if case .success = log.values.first { Issue.record("a successor that isn't ready") }
    // Another loop may have a successor now.
    try await withLoop { loop in #expect(await Self.error(loop, "exit")?.code == .invalidArgument) }
  }

  @Test func `Listeners of other loops are passed, too`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let group = try EventLoopGroup(count: 2)
      try await group.listen(host: "127.0.0.1", port: 0) { $0.close() }
      let report = directory + "/report"
      let successor = try await loop.handover("/bin/sh", ["-c", "env > \(report); \(Self.becomesReady)"])
        .value
      #expect("\(try await loop.files.readFile(report).value)".contains("UV_HANDOVER=2\n"))
      try await Self.end(successor, loop)
      _ = await group.shutdownGracefully(within: .seconds(5))
    }
  }
}
