// What this process has used, and what its priority is.
import UV

enum UsageAndPriorities: Program {
  static func main() throws {
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
}

// Prints:
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
