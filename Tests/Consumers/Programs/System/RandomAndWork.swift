// Random bytes, and work that keeps a thread busy, are requests like any other.
import UV

enum RandomAndWork: Program {
  static func fibonacci(_ n: Int) -> Int { n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2) }

  static func main() throws {
    try EventLoop.run { loop in
      let a = try await loop.random(16).value
      let b = try await loop.random(16).value
      print(a.count, a == b)
      print(try await loop.work { fibonacci(20) }.value)
      let executor = loop.executor
      print(try await loop.work { executor.isOnLoop }.map { "\($0)" }.value)
      let parsed = try await loop.work { Result { try parse("12x") } }.value
      do {
        print(try parsed.get())
      } catch {
        print(error)
      }
      loop.work({ fibonacci(10) }) { result in print((try? result.get()) ?? -1) }
    }
  }

  enum ParseError: Error { case notANumber(String) }

  static func parse(_ text: String) throws -> Int {
    guard let number = Int(text) else { throw ParseError.notANumber(text) }
    return number
  }
}

// Prints:
// 16 false
// 6765
// false
// notANumber("12x")
// 55
