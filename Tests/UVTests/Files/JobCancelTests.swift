import Foundation
import Testing
import UV
import UVTestSupport

/// Whole files and trees whose request is cancelled: while they wait for a thread, while a thread works, and when it is done.
@Suite(.onTheMachine("threads that wait")) struct JobCancelTests {
  enum Job: CaseIterable, Sendable {
    case read, write, writeAtomically, writeSynced, copy, copyTree, removeTree, makeFolders, move

    func start(_ loop: EventLoop, _ folder: String, _ done: @escaping (Result<Void, UVError>) -> Void)
      -> PendingRequest
    {
      func end<T>(_ result: Result<T, UVError>) { done(result.map { _ in }) }
      let (from, to, files) = ("\(folder)/from", "\(folder)/to", loop.files)
      return switch self {
      case .read: files.readFile("\(from)/f", end)
      case .write: files.writeFile(to, "new", end)
      case .writeAtomically: files.writeFile(to, "new", atomically: true, end)
      case .writeSynced: files.writeFile(to, "new", sync: true, end)
      case .copy: files.copyfile("\(from)/f", to: to, end)
      case .copyTree: files.copytree(from, to: to, end)
      case .removeTree: files.rmtree(from, end)
      case .makeFolders: files.makedirs("\(to)/a/b", end)
      case .move: files.move(from, to: to, end)
      }
    }

    /// Whether it leaves something at `to`, or takes `from` away.
    var leaves: (to: Bool, from: Bool) {
      switch self {
      case .read: (false, true)
      case .removeTree: (false, false)
      case .move: (true, false)
      default: (true, true)
      }
    }
  }

  private nonisolated(nonsending) func prepare(_ loop: EventLoop, _ folder: String) async throws {
    try await loop.files.makedirs("\(folder)/from/a/b").value
    for name in ["f", "a/g", "a/b/h"] {
      try await loop.files.writeFile("\(folder)/from/\(name)", "text").value
    }
  }

  private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  @Test(arguments: Job.allCases)
  func `One that waits for a thread is cancelled at once, and does nothing`(job: Job) async throws {
    try await withLoopAndDirectory { loop, folder in
      try await prepare(loop, folder)
      let log = Log<String>()
      try await withBusyPool(of: loop) {
        let pending = job.start(loop, folder) { log.append($0.error?.name ?? "ok") }
        pending.cancel()
        pending.cancel()
        #expect(log.values == [])
        try await loop.until { !log.values.isEmpty }
      }
      try await loop.until { loop.statistics.requests == 0 }
      #expect(log.values == ["ECANCELED"])
      #expect(isThere("\(folder)/from/a/b/h") && !isThere("\(folder)/to"))
      #expect(try await loop.files.scandir(folder).value.count == 1)
    }
  }

  @Test(arguments: Job.allCases.filter { $0 != .read })
  func `One that is complete when it is cancelled stays, and succeeds`(job: Job) async throws {
    try await withLoopAndDirectory { loop, folder in
      try await prepare(loop, folder)
      let log = Log<String>()
      let pending = job.start(loop, folder) { log.append($0.error?.name ?? "ok") }
      // The loop is busy until the thread has done its work, so that the answer is on its way.
      func look() -> Bool {
        switch job {
        case .removeTree: !isThere("\(folder)/from")
        case .copyTree: isThere("\(folder)/to/a/b/h")
        case .makeFolders: isThere("\(folder)/to/a/b")
        case .move: isThere("\(folder)/to/a/b/h") && !isThere("\(folder)/from")
        default: (try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/to")))?.isEmpty == false
        }
      }
      while !look() { usleep(1000) }
      usleep(100_000)
      pending.cancel()
      #expect(log.values == [])
      try await loop.until { !log.values.isEmpty }
      #expect(log.values == ["ok"])
      #expect(isThere("\(folder)/to") == job.leaves.to && isThere("\(folder)/from") == job.leaves.from)
    }
  }

  @Test(arguments: [Job.write, .writeAtomically, .copy, .copyTree, .removeTree])
  func `One that is cancelled while a thread works is answered when nothing is done any more`(job: Job)
    async throws
  {
    try await withLoopAndDirectory { loop, folder in
      let (from, to) = ("\(folder)/from", "\(folder)/to")
      try await loop.files.mkdir(from).value
      let bytes = Bytes(repeating: 7, count: 8 << 20)
      for number in 0..<8 { try await loop.files.writeFile("\(from)/\(number)", bytes).value }
      try await loop.files.copyfile("\(from)/0", to: "\(from)/f").value
      let file = try await loop.files.open("\(from)/f", .readWrite).value
      try await file.truncate(to: 200 << 20).value
      try await file.write(bytes, at: 192 << 20).value
      try await file.close().value
      let large = job == .write || job == .writeAtomically ? Bytes(repeating: 1, count: 100 << 20) : Bytes()
      // Amid the work, sooner or later.
      for delay in [0, 300, 2000] {
        let log = Log<String>()
        func done(_ result: Result<Void, UVError>) {
          let before = measure(folder)
          usleep(20_000)
          log.append("\(result.error?.name ?? "ok") \(measure(folder) == before ? "still" : "goes on")")
          log.append(isThere(to) ? "there" : "not there")
        }
        let pending =
          large.isEmpty
          ? job.start(loop, folder, done)
          : loop.files.writeFile(to, large, atomically: job == .writeAtomically, done)
        usleep(useconds_t(delay))
        pending.cancel()
        try await loop.until { log.values.count == 2 }
        let isCancelled = log.values[0].hasPrefix("ECANCELED")
        #expect(log.values[0] == (isCancelled ? "ECANCELED still" : "ok still"))
        if isCancelled, job == .copy || job == .writeAtomically { #expect(log.values[1] == "not there") }
        if job == .removeTree { break }
        if isThere(to) { try await loop.files.rmtree(to).value }
      }
    }
  }

  /// How much there is in a folder: names and bytes.
  private func measure(_ folder: String) -> [String] {
    (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []).sorted().map {
      name in
      var status = Foundation.stat()
      return "\(name) \(lstat("\(folder)/\(name)", &status) == 0 ? status.st_size : -1) \(status.st_blocks)"
    }
  }
}
