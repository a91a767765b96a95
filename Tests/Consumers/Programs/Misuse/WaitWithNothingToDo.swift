// To wait for a promise that nothing can resolve stops the program with a sentence.
import UV
import UVPromises

enum WaitWithNothingToDo: Program {
  static func main() throws {
    let (guarantee, seal) = Guarantee<Int>.pending()
    try EventLoop().runCallbacks { _ in print(guarantee.wait()) }
    seal(1)
  }
}

// Stops:
// wait()
