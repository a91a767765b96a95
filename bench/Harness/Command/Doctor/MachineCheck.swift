import CBenchSupport

/// Something about the machine that matters to a measurement.
struct MachineCheck {
  var isGood: Bool
  var what: String
  var advice = ""

  static func all() -> [MachineCheck] {
    let machine = Machine.current()
    return [
      build, load(machine), steal, cores, frequency, clock(machine), overshoot, addresses, limits,
      virtual(machine), counters,
    ].compactMap { $0 }
  }

  private static var build: MachineCheck {
    MachineCheck(
      isGood: Machine.build == "release", what: "built for \(Machine.build)",
      advice: "a debug build measures little: swift build -c release")
  }

  private static func load(_ machine: Machine) -> MachineCheck {
    MachineCheck(
      isGood: machine.loadAverage < 0.3 * Double(machine.cores),
      what: "load \(Figure.fixed(machine.loadAverage, digits: 2)) on \(machine.cores) processors",
      advice: "something else is running; stop it, or measure later")
  }

  /// Time that the hypervisor gave to others, over a second in which this program wants a processor.
  private static var steal: MachineCheck? {
    guard let before = ProcessorTicks.now() else { return nil }
    let start = bench_now_ns()
    while bench_now_ns() - start < 1_000_000_000 {}
    guard let share = ProcessorTicks.now()?.shareStolen(since: before) else { return nil }
    return MachineCheck(
      isGood: share < 0.01, what: "stolen by the hypervisor: \(Figure.fixed(share * 100, digits: 1)) %",
      advice: "neighbours on the host take time: use a dedicated host, or measure later")
  }

  private static var cores: MachineCheck {
    let usable = Int(bench_usable_cpus())
    return MachineCheck(
      isGood: usable >= 3,
      what: "\(usable) usable processors; threads \(bench_can_pin() != 0 ? "can" : "cannot") be pinned",
      advice: "with fewer than three, the rest of the system shares a processor with what is measured")
  }

  private static var frequency: MachineCheck? {
    let folder = "/sys/devices/system/cpu/cpu0/cpufreq/"
    guard let governor = try? TextFile.text(of: folder + "scaling_governor") else {
      return MachineCheck(isGood: true, what: "frequency scaling: not visible from here")
    }
    let name = governor.filter { !$0.isWhitespace }
    return MachineCheck(
      isGood: name == "performance", what: "frequency governor: \(name)",
      advice: "cpupower frequency-set -g performance")
  }

  static func nanosecondsOfAReading() -> Double {
    let reads = 100_000
    let start = bench_now_ns()
    var sum: UInt64 = 0
    for _ in 0..<reads { sum &+= bench_now_ns() }
    // The sum is used, or the compiler leaves the loop out.
    return Double(bench_now_ns() - start) / Double(reads) + (sum == 0 ? 1 : 0)
  }

  private static func clock(_ machine: Machine) -> MachineCheck {
    let each = nanosecondsOfAReading()
    return MachineCheck(
      isGood: each < 100,
      what: "clock \(machine.clockSource): \(Figure.fixed(each, digits: 0)) ns a reading",
      advice: "the clock is read through the kernel; a machine with clock source tsc is better")
  }

  private static var overshoot: MachineCheck {
    let late = (0..<50).map { _ in
      let start = bench_now_ns()
      usleep(200)
      return Double(bench_now_ns() - start) - 200_000
    }
    let middle = Statistics.median(late)
    return MachineCheck(
      isGood: middle < 150_000, what: "a sleep of 200 µs ends \(Figure.duration(middle)) late",
      advice: "timers are coarse: expect that much in every latency that waits for one")
  }

  private static var addresses: MachineCheck? {
    guard let text = try? TextFile.text(of: "/proc/sys/kernel/randomize_va_space") else { return nil }
    let isRandom = text.first != "0"
    return MachineCheck(
      isGood: true,
      what:
        "addresses are \(isRandom ? "random: each process differs, so the gate takes three pairs" : "fixed")")
  }

  private static var limits: MachineCheck? {
    guard let text = try? TextFile.text(of: "/sys/fs/cgroup/cpu.max") else { return nil }
    let quota = text.split(separator: " ").first ?? "max"
    return MachineCheck(
      isGood: quota == "max", what: "the container's processor quota: \(quota)",
      advice: "a quota stops the process in the middle of a batch: raise it, or use a set of processors")
  }

  private static func virtual(_ machine: Machine) -> MachineCheck? {
    machine.virtual.map {
      MachineCheck(
        isGood: !$0, what: $0 ? "a virtual machine" : "no virtual machine",
        advice: "trust ratios and counts more than times")
    }
  }

  private static var counters: MachineCheck {
    let canCount = !Counters.all.isEmpty
    let valgrind = InstructionCounter.isAvailable ? "valgrind is here" : "no valgrind"
    return MachineCheck(
      isGood: canCount,
      what: "allocations and system calls \(canCount ? "can" : "cannot") be counted; \(valgrind)",
      advice: "counting takes glibc on Linux")
  }
}
