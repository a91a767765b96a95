// A loop that is blocked says which function blocks it, while it is blocked.
import Synchronization
import UV
import UVStalls

private let isTold = Atomic<Bool>(false)

private func computePrimes(until isOver: () -> Bool) -> Int {
  var count = 0
  while !isOver() {
    count = (2..<500).count { number in !(2..<number).contains { number % $0 == 0 } }
  }
  return count
}

enum StalledLoop: Program {
  static func main() throws {
    let (stalls, continuation) = AsyncStream.makeStream(of: Stall.self)
    try EventLoop.run { loop in
      loop.name = "the main loop"
      print(loop.stallCount)
      try loop.watchStalls(longerThan: .milliseconds(20)) { stall in
        // On a busy machine, the loop may also be late while none of the program's functions is running.
        guard stall.function != nil, stall.frames.contains(where: { $0.function == "uv_run" }) else { return }
        continuation.yield(stall)
        isTold.store(true, ordering: .releasing)
      }
      // A turn is reported once: if that was too early, the next one is.
      while !isTold.load(ordering: .acquiring) {
        try await loop.sleep(for: .milliseconds(1)).value
        let start = ContinuousClock.now
        await loop.spawn {
          _ = computePrimes { isTold.load(ordering: .acquiring) || start.duration(to: .now) > .seconds(1) }
        }.value
      }
      loop.stopWatchingStalls()
    }
    continuation.finish()
    EventLoop.run { _ in
      for await stall in stalls {
        print(stall.name, stall.duration >= .milliseconds(20))
        // The optimizer may have put the function into its caller.
        print(stall.function != nil, stall.spawnedAt?.contains(":") ?? true)
        print(stall.frames.contains { $0.isOfProgram && $0.file.contains("/") && $0.address != 0 })
        print(stall.frames.contains { $0.function == "uv_run" })
        print(stall.description.contains("main loop"))
        break
      }
    }
  }
}

// Prints:
// 0
// the main loop true
// true true
// true
// true
// true
