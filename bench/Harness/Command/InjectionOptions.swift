import ArgumentParser
import CBenchHooks

/// What makes a worker worse on purpose, so that one can see whether it is noticed.
struct InjectionOptions: ParsableArguments {
  @Option(name: .customLong("inject"), help: "Do so many per cent more work than is counted.")
  var percent: Double?

  @Flag(name: .customLong("inject-alloc"), help: "One more allocation for each operation.")
  var allocation = false

  @Flag(name: .customLong("inject-syscall"), help: "One more system call for each operation.")
  var systemCall = false

  @Flag(name: .customLong("inject-enqueue"), help: "One more job enqueued for each operation.")
  var enqueue = false

  @Option(
    name: .customLong("inject-tail"),
    help: "Stop the loop for LENGTH ms in every INTERVAL ms, written LENGTH/INTERVAL.")
  var tail: Stall?

  @Option(
    name: .customLong("inject-bias"),
    help: "Be up to so many per cent slower, by chance, once and for all when the process starts.")
  var bias: Double?

  func validate() throws {
    for share in [percent, bias].compactMap({ $0 }) where !(0...1000).contains(share) {
      throw ValidationError("an injection must be from 0 to 1000 per cent")
    }
  }

  var arguments: [String] {
    var words: [String] = []
    if let percent { words += ["--inject", "\(percent)"] }
    if allocation { words.append("--inject-alloc") }
    if systemCall { words.append("--inject-syscall") }
    if enqueue { words.append("--inject-enqueue") }
    if let tail { words += ["--inject-tail", "\(tail)"] }
    if let bias { words += ["--inject-bias", "\(bias)"] }
    return words
  }

  /// Whether the data of a run differ from those of a worker without injection.
  var changesWork: Bool { percent != nil || bias != nil }

  func start() throws -> Injection {
    if let tail, bench_hooks_stall(tail.interval, tail.length) != 0 {
      throw UsageError("--inject-tail: this system has no timers that stop a thread")
    }
    var share = (percent ?? 0) / 100
    if let bias { share += .random(in: 0...bias / 100) }
    let (allocation, systemCall, enqueue) = (allocation, systemCall, enqueue)
    return Injection(share: share) { operations in
      for _ in 0..<operations {
        if allocation { Opaque.allocate() }
        if systemCall { _ = close(-1) }
        if enqueue { Task(executorPreference: InlineExecutor.shared) {} }
      }
    }
  }
}

/// What the compiler must not see through, or it leaves it out.
private enum Opaque {
  @inline(never) @_optimize(none)
  static func allocate() { free(malloc(16)) }
}

/// `100/1000`: so many milliseconds in every so many.
struct Stall: ExpressibleByArgument, CustomStringConvertible {
  var length: UInt64
  var interval: UInt64

  init?(argument: String) {
    let parts = argument.split(separator: "/").compactMap { UInt64($0) }
    guard parts.count == 2, parts[0] > 0, parts[0] < parts[1] else { return nil }
    length = parts[0] * 1_000_000
    interval = parts[1] * 1_000_000
  }

  var description: String { "\(length / 1_000_000)/\(interval / 1_000_000)" }
}

/// Runs every job at once, where it was enqueued.
private final class InlineExecutor: TaskExecutor, SerialExecutor {
  static let shared = InlineExecutor()

  func enqueue(_ job: UnownedJob) {
    job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
  }
}
