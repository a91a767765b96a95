import UV
import UVFutures
import UVPromises

/// `fs-read-file`: a whole file in one call, so many files at a time.
enum ReadWholeFiles {
  static let callback: LoopRow = { task in
    try EventLoop.runCallbacks { loop in
      let paths = task.paths
      let operations = LoopOperations(task, on: loop)
      func next() {
        guard let read = operations.next() else { return }
        loop.files.readFile(paths[read.index % paths.count]) { result in
          guard let bytes = operations.value(result) else { return }
          operations.end(read, bytes.benchHash)
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
        guard let read = operations.next() else { return }
        loop.files.readFile(paths[read.index % paths.count]).promise().done { bytes in
          operations.end(read, bytes.benchHash)
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
          let read = operations.begin(index)
          return loop.files.readFile(paths[index % paths.count]).publisher()
            .map { operations.end(read, $0.benchHash) }
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
            while let read = operations.next() {
              let bytes = try await loop.files.readFile(paths[read.index % paths.count]).value
              operations.end(read, bytes.benchHash)
            }
          } catch { operations.fail(error) }
        }
      }
      return operations
    }.report()
  }
}
