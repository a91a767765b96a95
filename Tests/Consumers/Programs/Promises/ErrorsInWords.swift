// What a program tells its users and its log of an error of the library's.
import UV
import UVPromises

enum ErrorsInWords: Program {
  static func sentence(for error: any Error) -> String {
    if let error = error as? PMKError, let sentence = error.errorDescription { return sentence }
    return "\(error)"
  }

  static func main() throws {
    conf.logHandler = { event in print("log:", event.debugDescription.prefix(33)) }
    EventLoop.runCallbacks { _ in
      Promise.value([Int]()).firstValue.catch { error in
        print(sentence(for: error) == "\(error)", sentence(for: error).isEmpty)
      }
      Promise.value("x").compactMap { Int($0) }.catch { error in
        guard let error = error as? PMKError else { return print(error) }
        print(error.debugDescription.contains("Int"))
      }
      _ = Promise<Int>.pending()
    }
  }
}

// Prints:
// true false
// true
// log: a pending promise was deallocated
