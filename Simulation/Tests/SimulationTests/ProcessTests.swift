import Glibc
import Testing
import UV
import UVSimulation

@Suite struct ProcessTests {
  /// Passes its input on.
  static func addCat(_ world: World) {
    world.executable("cat") { loop, _ in
      let (input, output) = (try loop.standardInput, try loop.standardOutput)
      for try await bytes in input { try await output.write(bytes).value }
      return 0
    }
  }

  static func addSleep(_ world: World) {
    world.executable("sleep") { loop, arguments in
      try await loop.sleep(for: .seconds(Int(arguments[0])!)).value
      return 0
    }
  }

  @Test("Bytes go through a child, and its end is reported", arguments: 1...10 as ClosedRange<UInt64>)
  func bytes(seed: UInt64) throws {
    func run() throws -> Simulation {
      try Simulation(seed: seed, weather: .storm, traceLength: 1 << 16) { world in
        Self.addCat(world)
        world.host("server") { loop in
          let child = try loop.processes.spawn("cat", stdio: [.pipe, .pipe])
          let bytes = Bytes((0..<(1 << 18)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
          let writer = loop.spawn { () async throws(UVError) in
            try await child.standardInput!.write(bytes).value
            try await child.standardInput!.shutdown().value
          }
          var received: [UInt8] = []
          for try await chunk in child.standardOutput! { received += chunk }
          #expect(Bytes(received) == bytes)
          try await writer.value
          #expect(try await child.exit().value.isSuccess)
        }
      }
    }
    let (one, two) = (try run(), try run())
    #expect(one.digest == two.digest, "\(String(describing: one.firstDifference(from: two)))")
  }

  @Test("A child has its arguments, environment, folder and numbers, and its parent keeps its own")
  func surroundings() throws {
    let seen = Log<String>()
    try Simulation(seed: 1) { world in
      world.executable("/opt/look") { arguments in
        let folder = String(cString: getcwd(nil, 100))
        let text = getenv("GREETING").map { String(cString: $0) } ?? "none"
        setenv("GREETING", "changed", 1)
        seen.append("\(arguments) \(text) \(folder) \(getpid() > 1) \(getppid())")
        var buffer = stat()
        return stat("here", &buffer) == 0 ? 7 : 8
      }
      let host = world.host("server") { loop in
        setenv("GREETING", "the parent's", 1)
        let child = try loop.processes.spawn(
          "/opt/look", ["a", "", "c d"], environment: ["GREETING": "hello = you"], workingDirectory: "/tmp")
        #expect(try await child.exit().value.code == 7)
        let other = try loop.processes.spawn("/opt/look")
        #expect(try await other.exit().value.code == 8)
        #expect(other.processID > child.processID)
        seen.append(String(cString: getenv("GREETING")))
        unsetenv("GREETING")
        seen.append("\(getpid())")
      }
      world.write([], to: "/tmp/here", of: host)
    }
    let (lines, number) = (seen.values.dropLast(), seen.values.last!)
    #expect(
      lines == [
        "[\"a\", \"\", \"c d\"] hello = you /tmp true \(number)", "[] the parent's / true \(number)",
        "the parent's",
      ])
  }

  @Test("A child gets the descriptors that it was given, and no others") func descriptors() throws {
    let seen = Log<[Int32]>()
    try Simulation(seed: 1) { world in
      world.executable("list") { _ in
        seen.append((0..<1100).filter { fcntl($0, F_GETFD) >= 0 })
        return 0
      }
      world.executable("write") { loop, _ in
        for (descriptor, text) in [(1, "out "), (2, "err "), (3, "three ")] as [(Int32, String)] {
          #expect(write(descriptor, text, text.utf8.count) == text.utf8.count)
        }
        let pipe = try loop.pipes.open(fileDescriptor: 4)
        if let bytes = try await pipe.next().value { try await pipe.write(bytes).value }
        try await pipe.close().value
        return 0
      }
      world.host("server") { loop in
        func child(_ stdio: [ChildProcess.Stdio]) throws(UVError) -> ChildProcess {
          try loop.processes.spawn("list", stdio: stdio)
        }
        let first = try child([])
        #expect(try await first.exit().value.isSuccess)
        let listener = try loop.tcp.listen(port: 7)
        let second = try child([.ignore, .ignore, .ignore, .descriptor(listener.fileDescriptor())])
        #expect(try await second.exit().value.isSuccess)
        let file = open("/tmp/output", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let child = try loop.processes.spawn(
          "write", stdio: [.ignore, .descriptor(file), .descriptor(file), .descriptor(file), .pipe])
        close(file)
        try await child.stdio[4]!.write("through the fifth").value
        #expect(try await child.stdio[4]!.read(exactly: 17).value == "through the fifth")
        #expect(try await child.exit().value.isSuccess)
        #expect(try await loop.files.readFile("/tmp/output").value == "out err three ")
        listener.close()
      }
    }
    #expect(seen.values == [[0, 1, 2], [0, 1, 2, 3]])
  }

  @Test(
    "What a child prints and reads is its own, also while a pipe is full", arguments: [Weather.calm, .storm])
  func printing(weather: Weather) throws {
    try Simulation(seed: 1, weather: weather) { world in
      world.executable("talk") { _ in
        while let line = readLine() { print("read", line) }
        print(String(repeating: "x", count: 1_000_000))
        return 0
      }
      world.host("server") { loop in
        let children = try (0..<2).map { _ in try loop.processes.spawn("talk", stdio: [.pipe, .pipe]) }
        for child in children {
          try await child.standardInput!.write("one\ntwo\nthree").value
          try await child.standardInput!.close().value
        }
        try await loop.sleep(for: .seconds(1)).value
        print("the host's own output")
        for child in children {
          let output = try await child.standardOutput!.readToEnd(limit: 1 << 21).value
          #expect(
            Bytes(output.prefix(30)) == "read one\nread two\nread three\nx" && output.count == 1_000_030)
          #expect(try await child.exit().value.isSuccess)
        }
      }
      world.host("other") { _ in if readLine() != nil { #expect(Bool(false), "a host has no input") } }
    }
  }

  @Test("What can't begin is reported as libuv reports it") func failures() throws {
    try Simulation(seed: 1) { world in
      let host = world.host("server") { loop in
        func code(_ program: String, _ folder: String? = nil, _ stdio: [ChildProcess.Stdio] = [.pipe])
          -> UVError.Code?
        {
          do throws(UVError) {
            _ = try loop.processes.spawn(program, workingDirectory: folder, stdio: stdio)
            return nil
          } catch { return error.code }
        }
        #expect(code("nowhere") == .noSuchFile && code("/nowhere/at/all") == .noSuchFile)
        #expect(code("/etc/passwd") == .permissionDenied)
        #expect(code("sleep", "/nowhere") == .noSuchFile)
        #expect(code("sleep", nil, [.pipe, .descriptor(1999)]) == .badDescriptor)
        try await loop.sleep(for: .seconds(2)).value
        #expect(code("sleep") == .wouldBlock)
      }
      Self.addSleep(world)
      try world.sleep(for: .seconds(1))
      world.fail("fork", of: host, with: .wouldBlock)
    }
  }

  @Test("A child ends by its code, by `exit`, by an error and by a signal, and may handle one or be stopped")
  func ends() throws {
    let times = Log<Int64>()
    try Simulation(seed: 1) { world in
      Self.addSleep(world)
      world.executable("exit") { arguments in exit(Int32(arguments[0])!) }
      world.executable("throw") { _ in throw UVError(.invalidArgument, operation: "nothing") }
      world.executable("handle") { loop, _ in
        for try await _ in try loop.signals(.terminate).prefix(1) {}
        return 9
      }
      world.executable("raise") { _ in Int(raise(SIGUSR1)) }
      world.host("server") { loop in
        func end(_ program: String, _ argument: String = "") async throws -> ChildProcess.ExitStatus {
          try await loop.processes.spawn(program, [argument]).exit().value
        }
        #expect(try await end("exit", "3").code == 3)
        #expect(try await end("exit", "256").code == 0)
        #expect(try await end("raise").signal == .user1)
        let broken = try loop.processes.spawn("throw", stdio: [.ignore, .ignore, .pipe])
        let text = try await broken.standardError!.readToEnd(limit: 1000).value
        #expect(String(decoding: text, as: UTF8.self).hasPrefix("throw: nothing"), "\(text)")
        #expect(try await broken.exit().value.code == 1)
        let handling = try loop.processes.spawn("handle")
        try await loop.sleep(for: .seconds(1)).value
        try handling.kill()
        #expect(try await handling.exit().value.code == 9)
        let killed = try loop.processes.spawn("handle")
        try await loop.sleep(for: .seconds(1)).value
        try killed.kill(.kill)
        #expect(try await killed.exit().value.signal == .kill)
        let stopped = try loop.processes.spawn("sleep", ["2"])
        let start = loop.clock.now
        try await loop.sleep(for: .seconds(1)).value
        try stopped.kill(Signal(rawValue: SIGSTOP))
        try await loop.sleep(for: .seconds(4)).value
        #expect(stopped.exitStatus == nil)
        try stopped.kill(Signal(rawValue: SIGCONT))
        #expect(try await stopped.exit().value.isSuccess)
        times.append(start.duration(to: loop.clock.now).components.seconds)
      }
    }
    #expect(times.values == [5])
  }

  @Test("A program of a host that calls `exit` or kills itself has ended, and others go on") func hosts()
    throws
  {
    let seen = Log<String>()
    try Simulation(seed: 1) { world in
      let first = world.program("first") {
        seen.append("first")
        exit(3)
      }
      let second = world.program("second") {
        kill(getpid(), SIGTERM)
        seen.append("not reached")
      }
      world.client("third") { loop in
        try await loop.sleep(for: .seconds(1)).value
        seen.append("third")
      }
      try world.sleep(for: .milliseconds(1))
      #expect(first.hasEnded && second.hasEnded)
      world.bounce(first)
    }
    #expect(seen.values == ["first", "first", "third"])
  }

  @Test("A child goes on when the process has ended that started it, and ends with its machine")
  func parents() throws {
    let seen = Log<String>()
    try Simulation(seed: 1) { world in
      world.executable("tick") { loop, _ in
        for try await _ in loop.ticks(every: .seconds(10)) { seen.append("parent \(getppid() == 1)") }
        return 0
      }
      let server = world.host("server") { loop in
        _ = try loop.processes.spawn("tick", isDetached: true)
        try await loop.sleep(for: .seconds(1000)).value
      }
      world.client("client") { loop in try await loop.sleep(for: .seconds(45)).value }
      try world.sleep(for: .seconds(15))
      world.signal(server, .kill)
      try world.sleep(for: .seconds(10))
      #expect(server.hasEnded)
      seen.append("crash")
      world.crash(server)
    }
    #expect(seen.values == ["parent false", "parent true", "crash"])
  }

  @Test("A child serves at its host's address, and starts a child of its own") func network() throws {
    try Simulation(seed: 1, weather: .usual) { world in
      Self.addCat(world)
      world.executable("serve") { loop, _ in
        let listener = try loop.tcp.listen(port: 7)
        let connection = try await listener.accept().value
        let file = try connection.fileDescriptor()
        let cat = try loop.processes.spawn("cat", stdio: [.descriptor(file), .descriptor(file)])
        connection.close()
        listener.close()
        return try await cat.exit().value.code + 5
      }
      world.host("server") { loop in
        let status = try await loop.processes.spawn("serve").exit().value
        #expect(status.code == 5)
      }
      world.host("client") { loop in
        try await loop.sleep(for: .milliseconds(100)).value
        let connection = try await loop.tcp.connect(host: "server", port: 7).value
        try await connection.write("hello").value
        try await connection.shutdown().value
        #expect(try await connection.readToEnd(limit: 100).value == "hello")
        connection.close()
      }
    }
  }

  @Test("Without libuv, nothing forks") func otherForks() throws {
    let error = #expect(throws: SimulationError.self) {
      try Simulation(seed: 1) { world in
        world.program("a") {
          typealias Fork = @convention(c) () -> pid_t
          let fork = unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)
          #expect(fork() == -1 && errno == ENOSYS)
        }
      }
    }
    #expect(
      error?.description.hasPrefix(#"fork isn't simulated; the host "a" called it from "#) == true,
      "\(error!)")
  }

  @Test("A deadlock names the program that waits") func deadlock() throws {
    let error = #expect(throws: SimulationError.self) {
      try Simulation(seed: 1) { world in
        Self.addCat(world)
        world.host("server") { loop in
          _ = try await loop.processes.spawn("cat", stdio: [.pipe]).exit().value
        }
      }
    }
    #expect(error?.description.contains("server, cat, thread 2: epoll_wait") == true, "\(error!)")
  }
}
