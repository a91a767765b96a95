import Foundation
import Testing
import UV
import UVTestSupport

/// Stops the process of an exit test unless it is so.
private func require(_ isSo: Bool, _ text: String = "", line: UInt = #line) {
  precondition(isSo, "line \(line) \(text)")
}

/// The facts about the process, asked for on any of its threads.
@Suite struct OtherThreadTests {
  #if os(Linux)
  @Test func `The priority is the process's, whichever thread sets it or asks for it`() async {
    await #expect(processExitsWith: .success) {
      let group = try EventLoopGroup(count: 2)
      let before = try SystemInfo.priority()
      for (number, processID) in [(1, 0), (2, getpid()), (3, 0)] as [(Int, Int32)] {
        let wanted = min(before + number, 19)
        try await group.executors[number % 2].submit { _ throws(UVError) in
          try SystemInfo.setPriority(wanted, of: processID)
          require(try SystemInfo.priority() == wanted)
        }
        let here = try SystemInfo.priority()
        require(
          here == wanted && getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getpid())) == wanted)
        let there = try await group.executors[(number + 1) % 2].submit { _ throws(UVError) in
          [try SystemInfo.priority(), try SystemInfo.priority(of: getpid())]
        }
        require(there == [wanted, wanted], "\(there)")
      }
      // Another process's is its own.
      try await group.executors[0].run { loop in
        let child = try loop.processes.spawn("sleep", ["1000"])
        let theirs = min(try SystemInfo.priority() + 2, 19)
        try SystemInfo.setPriority(theirs, of: child.processID)
        require(try SystemInfo.priority(of: child.processID) == theirs)
        require(try SystemInfo.priority() == min(before + 3, 19))
        try child.kill(.kill)
        _ = try await child.exit().value
      }
      _ = await group.shutdownGracefully(within: .zero)
    }
  }
  #endif

  @Test func `What is asked for on another thread is what the first one gets`() async throws {
    @Sendable func facts() throws -> [String] {
      [
        "\(SystemInfo.processID)", "\(SystemInfo.parentProcessID)", "\(try SystemInfo.executablePath())",
        "\(try SystemInfo.workingDirectory())", "\(try SystemInfo.user())",
        "\(try SystemInfo.homeDirectory())",
        "\(try SystemInfo.temporaryDirectory())", "\(try SystemInfo.hostName())",
        "\(try SystemInfo.operatingSystem())",
        "\(SystemInfo.totalMemory)", "\(SystemInfo.constrainedMemory ?? 0)", SystemInfo.libuvVersion,
        "\(try SystemInfo.interfaceAddresses())", "\(SystemInfo.availableParallelism)",
      ]
    }
    let here = try facts()
    let there = try await withThread { try facts() }
    #expect(here == there)
  }

  @Test func `What a process has used grows, and is that of all its threads`() async throws {
    let before = try SystemInfo.resourceUsage()
    try await withThread {
      var memory = [UInt8](repeating: 0, count: 1 << 25)
      for index in stride(from: 0, to: memory.count, by: 4096) { memory[index] = 1 }
      let end = LoopClock.Instant.now.advanced(by: .milliseconds(50))
      var number = 0
      while LoopClock.Instant.now < end { number &+= memory[number & 0xFFFFFF] == 1 ? 1 : 2 }
    }
    let after = try SystemInfo.resourceUsage()
    let used = after.userTime + after.systemTime - before.userTime - before.systemTime
    #expect(used >= .milliseconds(10) && used < .seconds(1000), "\(used)")
    #expect(
      after.minorPageFaults > before.minorPageFaults
        && after.maximumResidentMemory >= before.maximumResidentMemory)
    #expect(after.userTime >= before.userTime && after.systemTime >= before.systemTime)
    #expect(after.voluntaryContextSwitches >= before.voluntaryContextSwitches)
  }

  @Test
  func `A directory is named by its variable, in the order of the names, and by the system without one`()
    async
  {
    await #expect(processExitsWith: .success) {
      for name in ["TMPDIR", "TMP", "TEMP", "TEMPDIR"] { try Environment.unset(name) }
      require(try SystemInfo.temporaryDirectory() == "/tmp")
      for name in ["TEMPDIR", "TEMP", "TMP", "TMPDIR"] {
        try Environment.set(name, to: "/of/\(name)")
        require(try SystemInfo.temporaryDirectory() == FilePath("/of/\(name)"))
      }
      // Without the slash at its end, and however long it is.
      try Environment.set("TMPDIR", to: "/of/a/folder/")
      require(try SystemInfo.temporaryDirectory().string == "/of/a/folder")
      let long = "/" + String(repeating: "long/", count: 500) + "folder"
      try Environment.set("TMPDIR", to: long)
      require(try SystemInfo.temporaryDirectory().string == long)
      try Environment.set("HOME", to: long)
      require(try SystemInfo.homeDirectory().string == long)
      try Environment.unset("HOME")
      require(try SystemInfo.homeDirectory() == SystemInfo.user().homeDirectory)
    }
  }
}
