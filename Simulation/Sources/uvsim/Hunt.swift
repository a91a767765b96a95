import CSimulation
import Glibc
import RandomPrograms
import SimulatedWorlds
import UVSimulation

/// The worlds that bugs are hunted in: those that were thought of, and random programs.
var allWorlds: [HuntedWorld] { HuntedWorld.programs + HuntedWorld.all }

/// Runs the worlds seed by seed, all of them with each seed, until one fails. Prints the world, the seed,
/// what was wrong, and the command that repeats it.
///
/// - Parameters:
///   - seeds: The seeds.
///   - worlds: The worlds.
///   - isVerbose: Whether all that an error says is printed, with the last calls, and not its first line
///     alone.
/// - Returns: Whether none has failed.
func hunt(_ seeds: ClosedRange<UInt64>, _ worlds: [HuntedWorld], isVerbose: Bool) -> Bool {
  HuntedRun.begin()
  var progress = Progress(count: seeds.count * worlds.count)
  for seed in seeds {
    for world in worlds {
      HuntedRun.note(world.name, seed)
      progress.show(world.name, seed)
      do { try world.run(seed: seed, traceLength: isVerbose ? 1 << 16 : 1024) } catch {
        progress.end()
        let text = isVerbose ? error.description : String(error.description.prefix { $0 != "\n" })
        print("\(world.name): seed \(seed): \(text)")
        if isVerbose {
          for entry in error.trace { print(entry) }
        } else {
          print("repeat it with: \(showCommand(world.name, seed))")
        }
        return false
      }
    }
  }
  progress.end()
  print("nothing found in \(seeds.count) seeds of \(worlds.count) worlds")
  return true
}

/// Makes the failing run of a world smaller, and prints it.
func shrink(_ seed: UInt64, _ world: HuntedWorld) {
  guard let run = Simulation.shrink(seed: seed, weather: HuntedWorld.weather(of: seed), world.body) else {
    return print("\(world.name): seed \(seed) doesn't fail")
  }
  print("\(world.name): \(run.faults.count) faults are left after \(run.runs) runs")
  print(run.code.replacing("…", with: "try HuntedWorld.named(\"\(world.name)\")!.body(world)"))
}

/// The command that shows one run, as a shell takes it.
func showCommand(_ world: String, _ seed: UInt64) -> String {
  "\(quoted(CommandLine.arguments[0])) show \(seed) \(quoted(world))"
}

/// A word as a shell takes it.
func quoted(_ word: String) -> String {
  let plain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./".contains($0)) }
  return plain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
}

/// Says on the standard error how far a hunt has come: once a second on a terminal, else every half a minute.
struct Progress {
  private let isTerminal = isatty(2) == 1
  private let count: Int
  private let start = ContinuousClock.now
  private var done = 0
  private var shown: ContinuousClock.Instant?

  init(count: Int) { self.count = count }

  mutating func show(_ world: String, _ seed: UInt64) {
    defer { done += 1 }
    let now = ContinuousClock.now
    if let shown, now - shown < .seconds(isTerminal ? 1 : 30) { return }
    shown = now
    let seconds = max((now - start) / .seconds(1), 1)
    let text = "\(done) of \(count) runs, \(Int(Double(done) / seconds)) a second; seed \(seed), \(world)"
    // On a terminal each line replaces the one before.
    Self.print(isTerminal ? "\r\u{1B}[K\(text)" : text + "\n")
  }

  func end() { if isTerminal { Self.print("\r\u{1B}[K") } }

  private static func print(_ text: String) { _ = text.withCString { write(2, $0, strlen($0)) } }
}

/// Says which run was under way if the process crashes, or if a run takes a minute of the processor, or ten minutes.
enum HuntedRun {
  // Sound: written by the thread that runs the worlds. Its signal handlers read it.
  nonisolated(unsafe) private static let text = UnsafeMutablePointer<CChar>.allocate(capacity: 4096)
  nonisolated(unsafe) private static var count = 0
  /// The command that repeats the run begins here.
  nonisolated(unsafe) private static var commandStart = 0

  /// Notes that a run begins.
  ///
  /// - Parameter command: The arguments that repeat it; those of `show` unless said.
  static func note(_ world: String, _ seed: UInt64, command: String? = nil) {
    let command = command.map { "\(quoted(CommandLine.arguments[0])) \($0)" } ?? showCommand(world, seed)
    count = 0
    append("\(world): seed \(seed): ")
    commandStart = count
    append("repeat it with: \(command)\n")
    limit()
  }

  /// A busy machine gives a run little of its time, so the processor's counts. A run that waits for good takes none of that.
  private static func limit() {
    var timer = itimerval()
    timer.it_value.tv_sec = 60
    setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
    alarm(600)
  }

  private static func append(_ string: String) {
    for byte in string.utf8 where count < 4096 {
      text[count] = CChar(bitPattern: byte)
      count += 1
    }
  }

  static func begin() {
    sim_print_backtrace(-1)
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGSEGV] {
      signal(number) { _ in HuntedRun.end("the process has crashed\n") }
    }
    signal(SIGPROF) { _ in HuntedRun.end("the run hasn't ended within a minute of processor time\n") }
    signal(SIGALRM) { _ in HuntedRun.end("the run hasn't ended within ten minutes\n") }
  }

  private static func end(_ reason: StaticString) {
    write(1, text, commandStart)
    write(1, reason.utf8Start, reason.utf8CodeUnitCount)
    write(1, text + commandStart, count - commandStart)
    sim_print_backtrace(1)
    // On a thread of a world, `exit` and `_exit` end a simulated process. This one isn't simulated.
    quick_exit(1)
  }
}
