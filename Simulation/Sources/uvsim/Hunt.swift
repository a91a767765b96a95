import Glibc
import SimulatedWorlds
import UVSimulation

/// Runs the worlds seed by seed, all of them with each seed, until one fails. Prints the world, the seed and
/// what was wrong.
///
/// - Parameters:
///   - seeds: The seeds.
///   - worlds: The worlds.
///   - isVerbose: Whether all that an error says is printed, with the last calls, and not its first line
///     alone.
/// - Returns: Whether none has failed.
func hunt(_ seeds: ClosedRange<UInt64>, _ worlds: [HuntedWorld], isVerbose: Bool) -> Bool {
  Progress.begin()
  for seed in seeds {
    for world in worlds {
      Progress.note(world.name, seed)
      do { try world.run(seed: seed, traceLength: isVerbose ? 1 << 16 : 1024) } catch {
        let text = isVerbose ? error.description : String(error.description.prefix { $0 != "\n" })
        print("\(world.name): seed \(seed): \(text)")
        if isVerbose { for entry in error.trace { print(entry) } }
        return false
      }
    }
  }
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

/// Says which run was under way if the process crashes, or if a run takes a minute of real time.
private enum Progress {
  // Sound: written by the thread that runs the worlds. Its signal handlers read it.
  nonisolated(unsafe) private static let text = UnsafeMutablePointer<CChar>.allocate(capacity: 200)
  nonisolated(unsafe) private static var count = 0

  static func note(_ world: String, _ seed: UInt64) {
    count = 0
    for byte in "\(world): seed \(seed): ".utf8 {
      text[count] = CChar(bitPattern: byte)
      count += 1
    }
    alarm(60)
  }

  static func begin() {
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGSEGV] {
      signal(number) { _ in Progress.end("the process has crashed\n") }
    }
    signal(SIGALRM) { _ in Progress.end("the run hasn't ended within a minute of real time\n") }
  }

  private static func end(_ reason: StaticString) {
    write(1, text, count)
    write(1, reason.utf8Start, reason.utf8CodeUnitCount)
    // On a thread of a world, `exit` and `_exit` end a simulated process. This one isn't simulated.
    quick_exit(1)
  }
}
