// A handler on a queue begins more work by promises, as in the guide of PromiseKit, and returns what comes of it.
import Dispatch
import UV
import UVPromises

private struct User: Sendable { var name: String }

private let background = DispatchQueue(label: "background", attributes: .concurrent)

/// A library's function that calls back on a thread of its own.
private func load(_ name: String, completion: @escaping @Sendable (User?, (any Error)?) -> Void) {
  background.asyncAfter(deadline: .now() + .milliseconds(1)) { completion(User(name: name), nil) }
}

private func user(_ name: String) -> Promise<User> {
  Promise { seal in load(name) { seal.resolve($0, $1) } }
}

enum WorkInTheBackground: Program {
  static func main() throws {
    EventLoop.runCallbacks { loop in
      let executor = loop.executor
      firstly {
        user("one")
      }.then(on: background) { first in
        user(first.name + ", two").map { (executor.isOnLoop ? $0.name : "not on the loop") + "!" }
      }.then(on: background) { names in
        background.async(.promise) { names + " computed" }
      }.then(on: background) { text in
        when(fulfilled: user("three"), after(seconds: 0.001)).map { text + ", " + $0.0.name }
      }.done {
        print($0)
      }.catch { print($0) }
    }
    EventLoop.runCallbacks { _ in
      Guarantee.value(["a", "b"]).thenMap(on: background) { name in
        after(.milliseconds(1)).map { name.uppercased() }
      }.done(on: background) { names in
        // Nobody waits for this one.
        user("later").done { print(names, $0.name) }.cauterize()
      }
    }
  }
}

// Prints:
// one, two! computed, three
// ["A", "B"] later
