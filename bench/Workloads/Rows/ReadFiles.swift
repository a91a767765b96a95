import UV
import UVFutures
import UVPromises

/// `fs-read`: open a file, fstat it, read what it holds, close it: four steps, so many
/// files at a time.
enum ReadFiles: LoopRows {
  static let callback = FileRun.row { run, read in
    run.files.open(run.path(read)) { result in
      guard let file = run.value(result) else { return }
      file.stat { result in
        guard let status = run.value(result) else { return }
        file.read(Int(status.size), at: 0) { result in
          guard let bytes = run.value(result) else { return }
          file.close { result in
            guard run.value(result) != nil else { return }
            run.end(read, bytes.benchHash)
          }
        }
      }
    }
  }

  static let promise = FileRun.row { run, read in
    run.files.open(run.path(read)).promise().then { file in
      file.stat().promise().then { status in
        file.read(Int(status.size), at: 0).promise()
      }.then { bytes in
        file.close().promise().map { bytes }
      }
    }
    .done { run.end(read, $0.benchHash) }
    .catch { run.fail($0) }
  }

  static let future = FileRun.row(publisher: { run, read in
    run.files.open(run.path(read)).publisher().flatMap { file in
      file.stat().publisher().flatMap { status in
        file.read(Int(status.size), at: 0).publisher()
      }.flatMap { bytes in
        file.close().publisher().map { run.end(read, bytes.benchHash) }
      }
    }
  })

  static let async = FileRun.row(task: { run, read throws(UVError) in
    let file = try await run.files.open(run.path(read)).value
    let status = try await file.stat().value
    let bytes = try await file.read(Int(status.size), at: 0).value
    try await file.close().value
    run.end(read, bytes.benchHash)
  })
}
