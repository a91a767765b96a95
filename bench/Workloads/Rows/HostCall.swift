import UV
import UVFutures
import UVPromises

/// `host-call`: a call of the host that is answered in the same turn, by what a style starts for each call.
enum HostCall: LoopRows {
  static let callback: LoopRow = { task in
    try EventLoop.runCallbacks { loop in
      let operations = LoopOperations(task, on: loop, isSampled: true)
      func next() {
        guard let call = operations.next() else { return }
        loop.queueMicrotask {
          operations.end(call, 1)
          next()
        }
      }
      next()
      return operations
    }.report()
  }

  static let promise: LoopRow = { task in
    try EventLoop.runCallbacks { loop in
      let operations = LoopOperations(task, on: loop, isSampled: true)
      func next() {
        guard let call = operations.next() else { return }
        Guarantee<UInt64> { seal in seal(1) }.done {
          operations.end(call, $0)
          next()
        }
      }
      next()
      return operations
    }.report()
  }

  static let future: LoopRow = { task in
    try EventLoop.runCallbacks { loop in
      let operations = LoopOperations(task, on: loop, isSampled: true)
      operations.subscription = (0..<task.operations).publisher
        .flatMap(maxPublishers: .max(1)) { index in
          let call = operations.begin(index)
          return Future<UInt64, Never> { promise in promise(.success(1)) }.map { operations.end(call, $0) }
        }
        .sink(receiveCompletion: { _ in }, receiveValue: {})
      return operations
    }.report()
  }

  static let async: LoopRow = { task in
    try EventLoop.runCallbacks { loop in
      let operations = LoopOperations(task, on: loop, isSampled: true)
      func next() {
        guard let call = operations.next() else { return }
        loop.spawn {
          operations.end(call, 1)
          next()
        }
      }
      next()
      return operations
    }.report()
  }
}
