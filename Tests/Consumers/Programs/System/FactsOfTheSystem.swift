// What the system says of itself is asked for without a loop.
import UV

enum FactsOfTheSystem: Program {
  static func main() throws {
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
