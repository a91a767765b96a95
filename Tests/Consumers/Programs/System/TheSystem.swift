// What the system says of itself, of this process, its environment and its terminal.
import Foundation
import UV

enum TheSystem: Program {
  static func main() throws {
    try factsOfTheSystem()
    try usageAndPriorities()
    try environmentVariables()
    try terminalsAndTheirModes()
    try randomAndWork()
  }

  /// What the system says of itself is asked for without a loop.
  private static func factsOfTheSystem() throws {
    print(SystemInfo.availableParallelism >= 1)
    print(try SystemInfo.processors().count >= 1)
    print(SystemInfo.totalMemory >= SystemInfo.freeMemory, SystemInfo.freeMemory > 0)
    print(try SystemInfo.uptime() > .zero)
    print(try !SystemInfo.hostName().isEmpty)
    print(try SystemInfo.operatingSystem().name.isEmpty)
    print(try SystemInfo.interfaceAddresses().contains { $0.isInternal && $0.address.host == "127.0.0.1" })
    print(try SystemInfo.executablePath().isAbsolute, try SystemInfo.workingDirectory().isAbsolute)
    print(try SystemInfo.residentMemory() > 0, try SystemInfo.resourceUsage().maximumResidentMemory > 0)
    print(SystemInfo.parentProcessID != SystemInfo.processID)
    print(try SystemInfo.user().homeDirectory.isAbsolute, try SystemInfo.temporaryDirectory().isAbsolute)
    print(SystemInfo.libuvVersion.hasPrefix("1."))
  }

  /// What this process has used, and what its priority is.
  private static func usageAndPriorities() throws {
    let usage = try SystemInfo.resourceUsage()
    print(usage.userTime + usage.systemTime > .zero)
    print(usage.minorPageFaults > 0, usage.majorPageFaults >= 0)
    print(usage.inputOperations >= 0, usage.outputOperations >= 0)
    print(usage.voluntaryContextSwitches + usage.involuntaryContextSwitches >= 0)
    let priority = try SystemInfo.priority()
    try SystemInfo.setPriority(min(priority + 1, 19))
    print(try SystemInfo.priority(of: SystemInfo.processID) >= priority)
    let processor = try SystemInfo.processors()[0]
    print(processor.model.isEmpty, processor.megahertz >= 0)
    print(processor.userTime + processor.systemTime + processor.idleTime > .zero)
    print(processor.niceTime + processor.interruptTime >= .zero)
    let average = SystemInfo.loadAverage
    print(average.one >= 0, average.five >= 0, average.fifteen >= 0)
    print(SystemInfo.constrainedMemory.map { $0 > 0 } ?? true)
    let user = try SystemInfo.user()
    print(user.name.isEmpty, user.id == user.id, user.group >= 0, user.shell?.isAbsolute ?? true)
    print(try SystemInfo.homeDirectory().isAbsolute)
    let system = try SystemInfo.operatingSystem()
    print([system.release, system.version, system.machine].contains(""))
    if let address = try SystemInfo.interfaceAddresses().first(where: \.isInternal) {
      print(address.hardwareAddress.count, address.netmask != address.address, address.name.isEmpty)
    }
    print(try SystemInfo.interfaceName(index: 1).isEmpty)
    try SystemInfo.changeWorkingDirectory(to: "/")
    print(try SystemInfo.workingDirectory())
  }

  /// Variables of the environment are read, set and removed.
  private static func environmentVariables() throws {
    print(Environment["CONSUMERS_TEST"] ?? "not set")
    try Environment.set("CONSUMERS_TEST", to: "value")
    print(Environment["CONSUMERS_TEST"] ?? "not set")
    print(try Environment.all()["CONSUMERS_TEST"] ?? "not set")
    try Environment.unset("CONSUMERS_TEST")
    print(Environment["CONSUMERS_TEST"] ?? "not set")
    print(code(of: try Environment.set("", to: "value")) == .invalidArgument)
  }

  /// A file that is no terminal is distinguished from one; a terminal is put into raw mode and back.
  private static func terminalsAndTheirModes() throws {
    try EventLoop.run { loop in
      print(HandleType(guessing: 0) == .tty)
      do throws(UVError) {
        _ = try loop.tty(0)
      } catch {
        print(error.code == .invalidArgument || error.code == .notTerminal)
      }
      let terminal = try loop.tty(open("/dev/ptmx", O_RDWR | O_NOCTTY))
      for mode in [TTY.Mode.raw, .io, .normal] { try terminal.setMode(mode) }
      print(try terminal.windowSize().columns >= 0)
      try TTY.resetMode()
      try await terminal.close().value
      print(HandleType(guessing: 999) == .unknown)
    }
  }

  static func fibonacci(_ n: Int) -> Int { n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2) }

  /// Random bytes, and work that keeps a thread busy, are requests like any other.
  private static func randomAndWork() throws {
    try EventLoop.run { loop in
      let a = try await loop.random(16).value
      let b = try await loop.random(16).value
      print(a.count, a == b)
      print(try await loop.work { fibonacci(20) }.value)
      let executor = loop.executor
      print(try await loop.work { executor.isOnLoop }.map { "\($0)" }.value)
      let parsed = try await loop.work { Result { try parse("12x") } }.value
      do {
        print(try parsed.get())
      } catch {
        print(error)
      }
      loop.work({ fibonacci(10) }) { result in print((try? result.get()) ?? -1) }
    }
  }

  enum ParseError: Error { case notANumber(String) }

  static func parse(_ text: String) throws -> Int {
    guard let number = Int(text) else { throw ParseError.notANumber(text) }
    return number
  }
}

// Prints:
// true
// true
// true true
// true
// true
// false
// true
// true true
// true true
// true
// true true
// true
// true
// true true
// true true
// true
// true
// false true
// true
// true
// true true true
// true
// false true true true
// true
// false
// 6 true false
// false
// /
// not set
// value
// value
// not set
// true
// false
// true
// true
// true
// 16 false
// 6765
// false
// notANumber("12x")
// 55
