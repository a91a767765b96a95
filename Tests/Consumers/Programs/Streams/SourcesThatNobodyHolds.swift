// A source that a program makes and iterates in one expression stays until the iteration ends.
import UV
import UVFutures
import UVPromises

private struct Enough: Error {}

enum SourcesThatNobodyHolds: Program {
  static func main() throws {
    try EventLoop.run { loop in
      var ticks = 0
      for try await _ in loop.ticks(every: .milliseconds(1)) {
        ticks += 1
        if ticks == 3 { break }
      }
      print(ticks, "ticks")

      for _ in 0..<20 {
        for try await entries in try await loop.files.opendir("/usr", batchSize: 1).value {
          if entries.isEmpty { print("never") }
        }
      }
      print("entries")

      var values = 0
      for try await _ in loop.ticks(every: .milliseconds(1)).publisher().values {
        values += 1
        if values == 3 { break }
      }
      print(values, "values")

      for try await _ in try loop.iterations(.idle) { break }
      print("an iteration")

      print(try await loop.ticks(every: .milliseconds(1)).next().value == nil ? "the end" : "a tick")

      var elements = 0
      try? await loop.ticks(every: .milliseconds(1)).each { _ -> Promise<Void> in
        elements += 1
        return elements == 3 ? Promise(error: Enough()) : Promise.value(())
      }
      .async()
      print(elements, "elements")
    }
  }
}

// Prints:
// 3 ticks
// entries
// 3 values
// an iteration
// a tick
// 3 elements
