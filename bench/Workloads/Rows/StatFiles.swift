import UV
import UVFutures
import UVPromises

/// `fs-stat`: the status of one file after the other, so many at a time.
enum StatFiles {
  static let callback: LoopRow = { task in
    try EventLoop.runCallbacks { loop in
      let paths = task.paths
      let operations = LoopOperations(task, on: loop)
      func next() {
        guard let stat = operations.next() else { return }
        loop.files.stat(paths[stat.index % paths.count]) { result in
          guard let status = operations.value(result) else { return }
          operations.end(stat, UInt64(status.size))
          next()
        }
      }
      for _ in 0..<task.inFlight { next() }
      return operations
    }.report()
  }

  static let promise: LoopRow = { task in
    try EventLoop.runCallbacks { loop in
      let paths = task.paths
      let operations = LoopOperations(task, on: loop)
      func next() {
        guard let stat = operations.next() else { return }
        loop.files.stat(paths[stat.index % paths.count]).promise().done { status in
          operations.end(stat, UInt64(status.size))
          next()
        }.catch { operations.fail($0) }
      }
      for _ in 0..<task.inFlight { next() }
      return operations
    }.report()
  }

  static let future: LoopRow = { task in
    try EventLoop.runCallbacks { loop in
      let paths = task.paths
      let operations = LoopOperations(task, on: loop)
      operations.subscription = (0..<task.operations).publisher.setFailureType(to: UVError.self)
        .flatMap(maxPublishers: .max(task.inFlight)) { index in
          let stat = operations.begin(index)
          return loop.files.stat(paths[index % paths.count]).publisher()
            .map { operations.end(stat, UInt64($0.size)) }
        }
        .sink(receiveCompletion: operations.check, receiveValue: {})
      return operations
    }.report()
  }

  static let async: LoopRow = { task in
    try EventLoop.run { loop in
      let paths = task.paths
      let operations = LoopOperations(task, on: loop)
      for _ in 0..<task.inFlight {
        loop.spawn {
          do throws(UVError) {
            while let stat = operations.next() {
              let status = try await loop.files.stat(paths[stat.index % paths.count]).value
              operations.end(stat, UInt64(status.size))
            }
          } catch { operations.fail(error) }
        }
      }
      return operations
    }.report()
  }
}
