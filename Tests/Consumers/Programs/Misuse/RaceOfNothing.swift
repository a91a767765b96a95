// A race of no guarantees stops the program with a sentence.
import UV
import UVPromises

enum RaceOfNothing: Program {
  static func main() throws {
    EventLoop.runCallbacks { _ in
      let none: [Guarantee<Int>] = []
      race(none[0...].first ?? race()).done { print($0) }
    }
  }
}

// Stops:
// race() of no guarantees can have no value
