import UV
import UVFutures
import UVPromises

/// `fs-read`: open a file, fstat it, read what it holds, close it: four steps, so many
/// files at a time.
enum ReadFiles {
  static let callback: LoopRow = { task in
    try EventLoop.runCallbacks { loop in
      let paths = task.paths
      let operations = LoopOperations(task, on: loop)
      func next() {
        guard let read = operations.next() else { return }
        loop.files.open(paths[read.index % paths.count]) { result in
          guard let file = operations.value(result) else { return }
          file.stat { result in
            guard let status = operations.value(result) else { return }
            file.read(Int(status.size), at: 0) { result in
              guard let bytes = operations.value(result) else { return }
              file.close { result in
                guard operations.value(result) != nil else { return }
                operations.end(read, bytes.benchHash)
                next()
              }
            }
          }
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
        loop.files.open(paths[read.index % paths.count]).promise().then { file in
          file.stat().promise().then { status in
            file.read(Int(status.size), at: 0).promise()
          }.then { bytes in
            file.close().promise().done { operations.end(read, bytes.benchHash) }
          }
        }.done(next).catch { operations.fail($0) }
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
          return loop.files.open(paths[index % paths.count]).publisher().flatMap { file in
            file.stat().publisher().flatMap { status in
              file.read(Int(status.size), at: 0).publisher()
            }.flatMap { bytes in
              file.close().publisher().map { operations.end(read, bytes.benchHash) }
            }
          }
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
              let file = try await loop.files.open(paths[read.index % paths.count]).value
              let status = try await file.stat().value
              let bytes = try await file.read(Int(status.size), at: 0).value
              try await file.close().value
              operations.end(read, bytes.benchHash)
            }
          } catch { operations.fail(error) }
        }
      }
      return operations
    }.report()
  }
}
