import Foundation
import Testing
import UV
import UVTestSupport

/// What the programs of the machine say of the process that they were started in.
@Suite(.serialized) struct ShellTests {
  /// Runs a shell script to its end, and returns what it wrote.
  private nonisolated(nonsending) func output(
    of script: String, _ loop: EventLoop, environment: [String: String]? = nil,
    workingDirectory: String? = nil, user: UInt32? = nil, group: UInt32? = nil, isDetached: Bool = false
  ) async throws(UVError) -> String {
    let child = try loop.processes.spawn(
      "/bin/sh", ["-c", script], environment: environment, workingDirectory: workingDirectory, user: user,
      group: group, isDetached: isDetached, stdio: [.ignore, .pipe, .pipe])
    var bytes: [UInt8] = []
    for try await chunk in child.standardOutput! { bytes += chunk }
    for try await chunk in child.standardError! { bytes += chunk }
    let status = try await child.exit().value
    #expect(status.isSuccess, "\(status)")
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func argumentsEnvironmentAndDirectory() async throws {
    try await withLoopAndDirectory { loop, directory in
      let child = try loop.processes.spawn(
        "printf", ["%s|", "one", "", "two words", "é"], stdio: [.ignore, .pipe])
      #expect(try await child.standardOutput!.next().value == "one||two words|é|")
      #expect(try await child.exit().value.isSuccess)
      let variables = ["PATH": "/usr/bin:/bin", "GREETING": "hello = you"]
      #expect(
        try await output(of: "printf %s \"$GREETING$HOME\"", loop, environment: variables) == "hello = you")
      setenv("SWIFT_UV_TEST", "inherited", 1)
      #expect(try await output(of: "printf %s $SWIFT_UV_TEST", loop) == "inherited")
      unsetenv("SWIFT_UV_TEST")
      let path = try await loop.files.realpath(directory).value.string
      #expect(try await output(of: "pwd -P", loop, workingDirectory: directory) == path + "\n")
    }
  }

  @Test func descriptors() async throws {
    try await withLoopAndDirectory { loop, directory in
      let file = Foundation.open(directory + "/output", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      let child = try loop.processes.spawn(
        "/bin/sh", ["-c", "echo out; echo err >&2; echo three >&3; cat <&4 >&4"],
        stdio: [.ignore, .descriptor(file), .descriptor(file), .descriptor(file), .pipe])
      Foundation.close(file)
      try await child.stdio[4]!.write("through the fifth").value
      try await child.stdio[4]!.shutdown().value
      #expect(try await child.stdio[4]!.next().value == "through the fifth")
      #expect(try await child.exit().value.isSuccess)
      #expect(try await loop.files.readFile(directory + "/output").value == "out\nerr\nthree\n")
      // What is left out is the null device.
      let silent = try loop.processes.spawn("/bin/sh", ["-c", "cat; echo lost; echo lost >&2"])
      #expect(try await silent.exit().value.isSuccess)
    }
  }

  #if os(Linux)
  @Test func nothingElseIsInherited() async throws {
    try await withTemporaryDirectory { directory in
      try await withPair { loop, client, server in
        // What the test runner, or Foundation, has left inheritable is not ours.
        let before = inheritable()
        for connection in [client, server] { #expect(before["\(try connection.fileDescriptor())"] == nil) }
        let file = try await loop.files.open("/etc/passwd").value
        let udp = try loop.udp.bind(port: 0)
        let listener = try loop.pipes.listen(path: directory + "/listener")
        let pair = try loop.pipes.socketPair(passesHandles: true)
        let pipe = try loop.pipes.pair()
        let watcher = try loop.poll(client.fileDescriptor(), for: .readable)
        try await pair.0.write("x", passing: client).value
        _ = try await pair.1.next().value
        let passed = try pair.1.acceptFileDescriptor()
        #expect(inheritable() == before)
        let listing = try await output(of: "ls -l /proc/self/fd", loop)
        // No socket of ours, and no file but the folder that it lists.
        let sockets = before.values.count { $0.hasPrefix("socket:") }
        #expect(listing.split(separator: "\n").count { $0.contains("socket:") } == sockets, "\(listing)")
        #expect(!listing.contains("passwd"))
        Foundation.close(passed)
        try await file.close().value
        for handle in [udp, listener, pair.0, pair.1, pipe.reading, pipe.writing, watcher] as [Handle] {
          handle.close()
        }
      }
    }
  }

  /// The descriptors without close-on-exec, and what they refer to.
  private func inheritable() -> [String: String] {
    openDescriptors().filter { Int32($0.key)! > 2 && fcntl(Int32($0.key)!, F_GETFD) & FD_CLOEXEC == 0 }
  }

  @Test func aDetachedChildLeadsASession() async throws {
    try await withLoop { loop in
      for isDetached in [true, false] {
        let fields = try await output(of: "cat /proc/$$/stat", loop, isDetached: isDetached).split(
          separator: " ")
        #expect((fields[0] == fields[5]) == isDetached)
      }
      // Left to itself: the loop does not wait for it.
      let child = try loop.processes.spawn("sleep", ["1000"], isDetached: true)
      child.keepsLoopRunning = false
      #expect(child.isActive)
      try child.kill(.kill)
      #expect(try await child.exit().value.signal == .kill)
    }
  }
  #endif

  @Test func anotherUser() async throws {
    try await withLoop { loop in
      if getuid() == 0 {
        let numbers = try await output(of: "id -u; id -g", loop, user: 65534, group: 65533)
        #expect(numbers == "65534\n65533\n")
      } else {
        await expectError(.notPermitted, of: try loop.processes.spawn("true", user: 0))
      }
    }
  }
}
