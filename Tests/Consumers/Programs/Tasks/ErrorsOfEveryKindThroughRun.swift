// A body that throws: a type of its own, `UVError`, any error, and none; `run` throws the same.
import UV

enum ErrorsOfEveryKindThroughRun: Program {
  struct Mine: Error { var number: Int }

  static func typed(_ loop: EventLoop, _ number: Int) async throws(Mine) -> Int {
    guard number < 3 else { throw Mine(number: number) }
    return number
  }

  static func main() throws {
    do throws(Mine) {
      try EventLoop.run { loop async throws(Mine) in
        for number in 0..<10 { _ = try await typed(loop, number) }
      }
    } catch {
      print("mine: \(error.number)")
    }
    do throws(UVError) {
      try EventLoop.run { loop async throws(UVError) in
        _ = try await loop.files.stat("/nowhere").value
      }
    } catch {
      print(error.code.name)
    }
    do {
      try EventLoop.run { loop in
        _ = try await typed(loop, 1)
        _ = try await loop.files.stat("/").value
        _ = try await typed(loop, 5)
      }
    } catch let error as Mine {
      print("any: \(error.number)")
    }
    let value = EventLoop.run { loop in 42 }
    print(value)
    let early = try? EventLoop.runCallbacks { loop throws(Mine) -> Int in throw Mine(number: 7) }
    print(early as Any)
  }
}

// Prints:
// mine: 3
// ENOENT
// any: 5
// 42
// nil
