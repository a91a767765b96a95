// What runs in each turn of the loop: prepare, check, idle.
import UV

enum PhasesOfATurn: Program {
  static func main() throws {
    try EventLoop.run { loop in
      var seen: Set<IterationPhase> = []
      for phase in IterationPhase.allCases {
        let watcher = try loop.iterations(phase)
        print(watcher.phase)
        watcher.start { result in
          if case .success(let phase?) = result { seen.insert(phase) }
        }
        watcher.keepsLoopRunning = false
      }
      for try await _ in try loop.iterations(.check) { break }
      try await loop.sleep(for: .milliseconds(5)).value
      print(seen.contains(.idle), seen.contains(.prepare), seen.contains(.check))
    }
  }
}

// Prints:
// idle
// prepare
// check
// true true true
