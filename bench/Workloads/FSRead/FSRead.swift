import BenchHarness
import UV
import UVFutures
import UVPromises

extension Workloads {
  /// One operation: open, fstat, read as much as fstat said into a buffer, close: four steps. Under way: `in-flight`, a buffer each, used
  /// again; `cores`. Checked: `bench_hash` of the bytes.
  static let fsRead = LoopWorkload(
    name: "fs-read", summary: "open a file, fstat, read it into a buffer, close",
    revision: 2,
    parameters: [inFlight(1, 64, takesDescriptors: true), fileSize(from: 1, "bytes of a file"), cores],
    isSingleThreaded: false,
    check: .fileContents,
    rows: ReadFiles.rows(beside: "fs-read"),
    targets: [
      Target(
        "fs-read", ["in-flight": 64, "cores": 2],
        bounds: [.callback: 1.05, .async: 1.12, .promise: 1.12, .future: 1.15],
        reasons: [
          .callback: "five allocations for each file, where C makes one",
          .async:
            "the runtime's four waits take 0.10 of C's time by themselves, and a file in callbacks 1.03",
          .promise: "12 allocations more than callbacks: a request, a promise and a step for each of four",
          .future: "6 allocations more than callbacks, and 50 changes of reference counts",
        ])
    ])
}

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
