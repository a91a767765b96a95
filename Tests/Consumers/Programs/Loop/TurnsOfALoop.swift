// What runs in a turn: microtasks, the phases, and descriptors that are watched.
import Foundation
import UV

private final class Greeting: Microtask {
  let name: String
  init(_ name: String) { self.name = name }
  override func run() { print("hello, \(name)") }
}

enum TurnsOfALoop: Program {
  static func main() throws {
    try microtasksInOrder()
    try phasesOfATurn()
    try pollingADescriptor()
  }

  /// Microtasks run before timers, in the order in which they were queued; an object may be one.
  private static func microtasksInOrder() throws {
    EventLoop.runCallbacks { loop in
      loop.sleep(for: .zero) { _ in print("timer") }
      loop.queueMicrotask {
        print("first")
        loop.queueMicrotask { print("third") }
      }
      loop.enqueue(Greeting("world"))
      loop.queueMicrotask { print("second") }
      print("body")
    }
  }

  /// What runs in each turn of the loop: prepare, check, idle.
  private static func phasesOfATurn() throws {
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
      while seen.count < IterationPhase.allCases.count { try await loop.sleep(for: .zero).value }
      print(seen.contains(.idle), seen.contains(.prepare), seen.contains(.check))
    }
  }

  /// A descriptor of another library is watched for being readable and writable.
  private static func pollingADescriptor() throws {
    try EventLoop.run { loop in
      let pipe = Pipe()
      let watcher = try loop.poll(pipe.fileHandleForReading.fileDescriptor, for: [.readable, .disconnect])
      loop.sleep(for: .milliseconds(2)) { _ in pipe.fileHandleForWriting.write(Data("hello".utf8)) }
      for try await events in watcher {
        print(events.contains(.readable), watcher.events.contains(.disconnect))
        print(String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self))
        break
      }
      try await watcher.close().value
      let writable = try loop.poll(pipe.fileHandleForWriting.fileDescriptor, for: .writable)
      print(try await writable.next().value == .writable)
      writable.close()
      let urgent: PollEvents = [.prioritized, .readable]
      print(urgent.contains(.prioritized))
    }
  }
}

// Prints:
// body
// first
// hello, world
// second
// third
// timer
// idle
// prepare
// check
// true true true
// true true
// hello
// true
// true
