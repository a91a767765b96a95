import BenchHarness
import UV
import UVFutures
import UVPromises

extension Workloads {
  /// One operation: the whole file in one call of the style; in C the four steps. Under way: `in-flight`. Checked: `bench_hash` of the
  /// bytes.
  static let fsReadFile = LoopWorkload(
    name: "fs-read-file", summary: "read a whole file in one call (c: four calls of uv_fs)",
    parameters: [inFlight(1, takesDescriptors: true), fileSize(from: 1, "bytes of a file")],
    isSingleThreaded: false,
    check: .fileContents,
    rows: ReadWholeFiles.rows(beside: "fs-read"),
    targets: [
      Target(
        "fs-read-file", ["in-flight": 1],
        bounds: [.callback: 0.50, .async: 0.55, .promise: 0.55, .future: 0.60])
    ])
}

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
