// One request is started by a callback, as a promise, as a publisher, and awaited.
import UV
import UVFutures
import UVPromises

enum OneRequestInFourStyles: Program {
  static func main() throws {
    var subscriptions: Set<AnyCancellable> = []
    try EventLoop.run { loop in
      let request = loop.files.stat("/")
      let byAwaiting = try await request.value
      print("async/await: \(byAwaiting.type)")
    }
    EventLoop.runCallbacks { loop in
      let request = loop.files.stat("/")
      request.start { result in
        switch result {
        case .success(let status): print("callback: \(status.type)")
        case .failure(let error): print(error)
        }
        request.promise().done { status in
          print("promise: \(status.type)")
          request.publisher()
            .sink(receiveCompletion: { _ in }) { status in print("publisher: \(status.type)") }
            .store(in: &subscriptions)
        }.cauterize()
      }
    }
  }
}

// Prints:
// async/await: directory
// callback: directory
// promise: directory
// publisher: directory
