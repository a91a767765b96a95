import Foundation
import Testing
import UV
import UVTestSupport

/// What the system says, beside what it says elsewhere.
@Suite(.serialized) struct SystemInfoTests {
  @Test func theMachine() throws {
    #expect(SystemInfo.availableParallelism >= 1)
    let processors = try SystemInfo.processors()
    #expect(processors.count >= SystemInfo.availableParallelism)
    #expect(processors.contains { $0.idleTime > .zero })
    #expect(SystemInfo.totalMemory > SystemInfo.freeMemory)
    #expect(SystemInfo.constrainedMemory.map { $0 > 0 } ?? true)
    var load = [0.0, 0, 0]
    if getloadavg(&load, 3) == 3 {
      let own = SystemInfo.loadAverage
      // They change while this looks.
      for (one, other) in zip([own.one, own.five, own.fifteen], load) { #expect(abs(one - other) < 0.5) }
    }
    var clock = timespec()
    clock_gettime(CLOCK_MONOTONIC, &clock)
    #expect(abs(try SystemInfo.uptime() / .seconds(1) - Double(clock.tv_sec)) < 3)
    var buffer = [CChar](repeating: 0, count: 256)
    #expect(gethostname(&buffer, 255) == 0)
    #expect(try SystemInfo.hostName() == buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
    let system = try SystemInfo.operatingSystem()
    #if os(Linux)
    #expect(system.name == "Linux")
    #endif
    #expect(!system.release.isEmpty && !system.version.isEmpty && !system.machine.isEmpty)
    #expect(SystemInfo.libuvVersion.hasPrefix("1."))
  }

  @Test func interfaces() throws {
    let addresses = try SystemInfo.interfaceAddresses()
    let loopback = try #require(addresses.first { $0.address.host == "127.0.0.1" })
    #expect(loopback.isInternal)
    #expect(loopback.netmask.host == "255.0.0.0")
    #expect(loopback.hardwareAddress == [0, 0, 0, 0, 0, 0])
    #expect(try SystemInfo.interfaceName(index: if_nametoindex(loopback.name)) == loopback.name)
    #expect(throws: UVError.self) { try SystemInfo.interfaceName(index: 99999) }
  }

  @Test func theProcess() async throws {
    #expect(SystemInfo.processID == getpid())
    #expect(SystemInfo.parentProcessID == getppid())
    #if os(Linux)
    let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    #expect(try SystemInfo.executablePath().string == executable)
    #endif
    #expect(try SystemInfo.workingDirectory().string == FileManager.default.currentDirectoryPath)
    try SystemInfo.changeWorkingDirectory(to: SystemInfo.workingDirectory())
    await expectError(.noSuchFile, of: try SystemInfo.changeWorkingDirectory(to: "/nowhere"))
    #expect(try SystemInfo.residentMemory() > 1 << 20)
    let usage = try SystemInfo.resourceUsage()
    #expect(usage.userTime > .zero)
    #expect(usage.maximumResidentMemory > 1024)
    let priority = try SystemInfo.priority()
    try SystemInfo.setPriority(priority)
    #expect(try SystemInfo.priority(of: getpid()) == priority)
    // No process has the number.
    await expectError(.noSuchProcess, of: try SystemInfo.priority(of: 1 << 30))
    await expectError(.noSuchProcess, of: try SystemInfo.setPriority(priority, of: 1 << 30))
    await expectError(.invalidArgument, of: try SystemInfo.setPriority(20))
    await expectError(.invalidArgument, of: try SystemInfo.setPriority(1 << 40))
  }

  @Test func theUser() throws {
    let user = try SystemInfo.user()
    #expect(user.id == getuid())
    #expect(user.group == getgid())
    let entry = try #require(getpwuid(getuid())).pointee
    #expect(user.name == String(cString: entry.pw_name))
    #expect(user.homeDirectory.string == String(cString: entry.pw_dir))
    #expect(!(try SystemInfo.homeDirectory().isEmpty))
    #expect(try SystemInfo.temporaryDirectory().isAbsolute)
  }

  @Test func theEnvironment() async throws {
    let name = "SWIFT_UV_TEST_\(getpid())"
    #expect(Environment[name] == nil)
    // Longer than what is first made room for.
    let value = String(repeating: "ä", count: 3000)
    try Environment.set(name, to: value)
    #expect(Environment[name] == value)
    #expect(try Environment.all()[name] == value)
    try Environment.unset(name)
    try Environment.unset(name)
    #expect(Environment[name] == nil)
    #expect(Environment[""] == nil)
    // C would take it for the name before it.
    #expect(Environment[name + "\0b"] == nil)
    try Environment.set(name, to: "value")
    #expect(Environment[name + "\0b"] == nil)
    await expectError(.invalidArgument, of: try Environment.unset(name + "\0b"))
    #expect(Environment[name] == "value")
    try Environment.unset(name)
    for wrong in ["", "a=b", "a\0b"] {
      await expectError(.invalidArgument, of: try Environment.set(wrong, to: ""))
      await expectError(.invalidArgument, of: try Environment.unset(wrong))
    }
    await expectError(.invalidArgument, of: try Environment.set(name, to: "\0"))
  }

  @Test func randomBytes() async throws {
    try await withLoop { loop in
      let first = try await loop.random(32).value
      #expect(first.count == 32)
      #expect(try await loop.random(32).value != first)
      #expect(try await loop.random(0).value.isEmpty)
      await expectError(.invalidArgument, of: try await loop.random(-1).value)
      let log = Log<UVError.Code?>()
      loop.random(1 << 20) { log.append($0.error?.code) }.cancel()
      while log.values.isEmpty { try await loop.sleep(for: .zero).value }
      #expect(log.values == [.cancelled])
    }
  }
}
