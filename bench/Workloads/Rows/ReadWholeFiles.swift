import UV
import UVFutures
import UVPromises

/// `fs-read-file`: a whole file in one call, so many files at a time.
enum ReadWholeFiles: LoopRows {
  static let callback = FileRun.row { run, read in
    run.files.readFile(run.path(read)) { result in
      guard let bytes = run.value(result) else { return }
      run.end(read, bytes.benchHash)
    }
  }

  static let promise = FileRun.row { run, read in
    run.files.readFile(run.path(read)).promise()
      .done { run.end(read, $0.benchHash) }
      .catch { run.fail($0) }
  }

  static let future = FileRun.row(publisher: { run, read in
    run.files.readFile(run.path(read)).publisher().map { run.end(read, $0.benchHash) }
  })

  static let async = FileRun.row(task: { run, read throws(UVError) in
    run.end(read, try await run.files.readFile(run.path(read)).value.benchHash)
  })
}
