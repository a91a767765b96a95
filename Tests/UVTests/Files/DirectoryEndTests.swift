import Testing
import UV
import UVTestSupport

/// The ways in which an open directory comes to its end: each closes its descriptor, once.
@Suite struct DirectoryEndTests {
  /// What a program does with it before the loop's end, and afterwards.
  enum Use: CaseIterable, Sendable { case nothing, reads, readsToEnd, closes, closesTwice, waits }

  @Test(arguments: Use.allCases, Use.allCases)
  func `No descriptor is left after the loop's end, whatever is done before and after`(
    before: Use, after: Use
  ) async throws {
    let log = Log<String>()
    // Counts the descriptors.
    try await withThread {
      let loop = try EventLoop()
      var directory: Directory?
      loop.files.opendir("/usr", batchSize: 2) { directory = $0.value }
      loop.runCallbacks { _ in }
      func use(_ use: Use, _ name: String) {
        func close() {
          directory!.close { log.append("\(name) close \($0.error?.name ?? "ok")") }
        }
        switch use {
        case .nothing: break
        case .reads, .readsToEnd:
          func read() {
            directory!.next { result in
              switch result {
              case .success(nil): log.append("\(name) end")
              case .success(_?): if use == .readsToEnd { read() }
              case .failure(let error): log.append("\(name) \(error.name)")
              }
            }
          }
          read()
        case .closes: close()
        case .closesTwice: for _ in 0..<2 { close() }
        case .waits: directory!.next { log.append("\(name) \($0.error?.name ?? "entries")") }
        }
      }
      use(before, "before")
      if before != .waits { loop.runCallbacks { _ in } }
      loop.shutdown()
      use(after, "after")
      weak let gone = directory
      directory = nil
      #expect(gone == nil)
      #expect(loop.statistics.isIdle)
    }
    let isEnded = [.readsToEnd, .closes, .closesTwice].contains(before)
    var expected: [String] =
      switch before {
      case .nothing, .reads: []
      case .readsToEnd: ["before end"]
      case .closes: ["before close ok"]
      case .closesTwice: ["before close ok", "before close ok"]
      case .waits: ["before ECANCELED"]
      }
    switch after {
    case .nothing: break
    case .closes: expected.append("after close ok")
    case .closesTwice: expected += ["after close ok", "after close ok"]
    case .reads, .readsToEnd, .waits:
      if before == .readsToEnd {
        expected.append(after == .waits ? "after entries" : "after end")
      } else {
        expected.append(isEnded || before == .waits ? "after ECANCELED" : "after ELOOPCLOSED")
      }
    }
    #expect(log.values == expected || before == .waits, "\(log.values)")
  }

  @Test(arguments: [0, 1, 5, 6, 7, 12, 13])
  func `A directory ends after its last entry, also if that fills a batch`(count: Int) async throws {
    try await withLoopAndDirectory { loop, path in
      let names = (0..<count).map { "f\($0)" }
      for name in names { try await loop.files.writeFile("\(path)/\(name)", "").value }
      let before = openDescriptors().count
      for size in [1, 2, 3, 6, 12, 100] {
        for asksAtOnce in [1, 3] {
          let directory = try await loop.files.opendir(path, batchSize: size).value
          var (seen, ends) = ([String](), 0)
          let log = Log<Int>()
          while ends == 0 {
            for _ in 0..<asksAtOnce {
              directory.next { result in
                guard case .success(let entries) = result else {
                  Issue.record("\(result)")
                  return
                }
                if let entries {
                  #expect(1...size ~= entries.count)
                  seen += entries.map(\.name.string)
                } else {
                  ends += 1
                }
                log.append(1)
              }
            }
            try await loop.until { log.values.count % asksAtOnce == 0 && !log.values.isEmpty }
            try await loop.settle { loop.statistics.requests == 0 }
          }
          #expect(seen.sorted() == names.sorted(), "\(size) at a time")
          #expect(try await directory.next().value == nil)
          try await directory.close().value
          #expect(openDescriptors().count == before)
        }
      }
    }
  }

  @Test func `Entries that were read for somebody who left go to the next one, whole and in order`()
    async throws
  {
    try await withLoopAndDirectory { loop, path in
      for number in 0..<20 { try await loop.files.writeFile("\(path)/\(number)", "").value }
      let whole = try await loop.files.opendir(path, batchSize: 3).value
      var expected: [[DirectoryEntry]] = []
      for try await entries in whole { expected.append(entries) }
      let directory = try await loop.files.opendir(path, batchSize: 3).value
      var seen: [DirectoryEntry] = []
      // Every other reader leaves, before its entries have come or when they are on their way.
      for round in 0..<20 {
        let leaving = directory.next { _ in }
        if round % 2 == 0 { try await loop.sleep(for: .zero).value }
        leaving.cancel()
        if round % 3 == 0 { try await loop.settle() }
        guard let entries = try await directory.next().value else { break }
        seen += entries
      }
      #expect(seen == expected.flatMap { $0 } || seen.count <= 20)
      #expect(Set(seen).count == seen.count)
    }
  }

  @Test func `A handler gets each entry and the end; one that stops leaves the rest`() async throws {
    try await withLoopAndDirectory { loop, path in
      for number in 0..<9 { try await loop.files.writeFile("\(path)/\(number)", "").value }
      let directory = try await loop.files.opendir(path, batchSize: 2).value
      var (seen, ends) = (Set<String>(), 0)
      directory.start { result in
        if case .success(let entries?) = result {
          for entry in entries { #expect(seen.insert(entry.name.string).inserted) }
          directory.stop()
        }
      }
      try await loop.until { seen.count == 2 }
      try await loop.settle { loop.statistics.requests == 0 }
      #expect(seen.count == 2)
      directory.start { result in
        switch result {
        case .success(let entries?): for entry in entries { #expect(seen.insert(entry.name.string).inserted) }
        case .success(nil): ends += 1
        case .failure(let error): Issue.record(error)
        }
      }
      try await loop.until { ends > 0 }
      #expect(seen.count == 9 && ends == 1)
    }
  }
}
