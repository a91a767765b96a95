import BenchHarness
import UV
import UVFutures
import UVPromises

extension Workloads {
  /// One operation: stat of `paths[i % 64]`. Under way: `in-flight`. Checked: the sizes, which differ from file to file.
  static let fsStat = LoopWorkload(
    name: "fs-stat", summary: "stat a file by its path",
    parameters: [inFlight(1, 64), fileSize(from: 0, "bytes of the first file")],
    isSingleThreaded: false,
    check: .fileSizes,
    rows: StatFiles.rows(beside: "fs-stat"))
}

/// `fs-stat`: the status of one file after the other, so many at a time.
enum StatFiles: LoopRows {
  static let callback = FileRun.row { run, stat in
    run.files.stat(run.path(stat)) { result in
      guard let status = run.value(result) else { return }
      run.end(stat, UInt64(status.size))
    }
  }

  static let promise = FileRun.row { run, stat in
    run.files.stat(run.path(stat)).promise()
      .done { run.end(stat, UInt64($0.size)) }
      .catch { run.fail($0) }
  }

  static let future = FileRun.row(publisher: { run, stat in
    run.files.stat(run.path(stat)).publisher().map { run.end(stat, UInt64($0.size)) }
  })

  static let async = FileRun.row(task: { run, stat throws(UVError) in
    run.end(stat, UInt64(try await run.files.stat(run.path(stat)).value.size))
  })
}
