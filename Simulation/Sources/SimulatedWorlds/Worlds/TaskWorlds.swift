import UV
import UVPromises
import UVSimulation

let taskWorlds = [
  HuntedWorld("tasks", tasks), HuntedWorld("promises", promises), HuntedWorld("files", files),
  HuntedWorld("pool", pool),
]

/// Groups, deadlines, shields and cancellations of whatever can be awaited. Every task ends, and its request
/// is reported once.
private func tasks(_ world: World, _ ledger: Ledger) throws {
  world.node("a") { loop in
    let listener = try loop.tcp.listen(port: 9)
    let (here, there) = try loop.pipes.socketPair()
    for round in 0..<6 {
      var ended = 0
      do {
        try await loop.withTasks { group in
          for number in 0..<8 {
            group.spawn { () async throws in
              defer { ended += 1 }
              switch (number + round) % 8 {
              case 0: try await loop.sleep(for: .seconds(1000)).value
              case 1: _ = try await listener.accept().value
              case 2: _ = try await here.next().value
              case 3: _ = try await loop.work { number }.value
              case 4: try await loop.clock.sleep(until: loop.clock.now.advanced(by: .seconds(50)))
              case 5:
                try await loop.withDeadline(.milliseconds(Int64(1 + loop.draw(20)))) {
                  for try await _ in there {}
                }
              case 6: for try await _ in loop.ticks(every: .milliseconds(3)) {}
              default:
                let nested = loop.spawn { () async throws(UVError) in
                  try await loop.sleep(for: .seconds(9)).value
                }
                loop.sleep(for: .microseconds(Int64(loop.draw(8000)))) { _ in nested.cancel() }
                do throws(UVError) { try await nested.value } catch {
                  try expect(error.isCancelled, "a cancelled task: \(error)")
                }
              }
            }
          }
          try await loop.sleep(for: .microseconds(Int64(loop.draw(30_000)))).value
          if loop.isDrawn(oneIn: 2) { throw UVError(.invalidArgument, operation: "enough") }
          group.cancelAll()
        }
      } catch let error as UVError {
        try expect(
          error.isCancelled || error.code == .invalidArgument || error.code == .timedOut,
          "round \(round): \(error)")
      } catch is CancellationError {}
      try expect(ended == 8, "round \(round): \(ended) tasks of 8 have ended")
    }
    // A goodbye in spite of a cancellation.
    let farewell = loop.spawn { () async throws in
      do { try await loop.sleep(for: .seconds(99)).value } catch {
        try await loop.withShield { try await there.write(Bytes("bye")).value }
      }
    }
    loop.queueMicrotask { farewell.cancel() }
    try await farewell.value
    try expect(try await here.read(exactly: 3).value == Bytes("bye"), "no goodbye")
    // Bytes that come after readers were cancelled are nobody's but the next reader's.
    try await there.write(Bytes("next")).value
    try expect(try await here.read(exactly: 4).value == Bytes("next"), "a cancelled reader has taken bytes")
    here.close()
    there.close()
    listener.close()
  }
}

/// The same echo by promises: each is settled once, in its order.
private func promises(_ world: World, _ ledger: Ledger) throws {
  world.node("server") { loop in
    let listener = try loop.tcp.listen(port: 7)
    let connection = try await listener.accept().value
    listener.close()
    let ended = connection.each { bytes in connection.write(bytes).promise() }
    try await ended.async()
    connection.close()
  }
  world.node("client") { loop in
    let connection = try await Transport.tcp.connect(loop)
    for round in 1...5 {
      let bytes = message(round, 1 + loop.draw(30_000))
      let settled = Shared(0)
      // The answer is read while much is written.
      let writing = firstly { connection.write(Records.divide(bytes, on: loop)).promise() }
      let answer = firstly { connection.read(exactly: bytes.count).promise() }
        .then { answer in writing.map { answer == bytes } }
        .ensure { settled.value += 1 }
      let pause = loop.sleep(for: .milliseconds(Int64(loop.draw(20)))).promise()
      let (isSame, _) = try await when(fulfilled: answer, pause).async()
      try expect(isSame, "round \(round): other bytes")
      try expect(settled.value == 1, "round \(round): settled \(settled.value) times")
      let first = race(
        loop.sleep(for: .milliseconds(Int64(1 + loop.draw(9)))).promise().map { 1 },
        loop.work { 2 }.promise(), cancellingRest: true)
      let winner = try await first.async()
      try expect(winner == 1 || winner == 2, "nobody has won")
      let cancelled = loop.sleep(for: .seconds(100)).promise()
      let noted: Completion<Void> = ledger.ask("a cancelled promise")
      cancelled.done { noted(.success(())) }.catch(policy: .allErrors) { _ in
        noted(.failure(UVError(.cancelled, operation: "sleep")))
      }
      loop.queueMicrotask { cancelled.cancel() }
    }
    try await connection.shutdown().value
    connection.close()
  }
}

/// Files are what a model says, whatever is cancelled meanwhile. No descriptor is left open.
private func files(_ world: World, _ ledger: Ledger) throws {
  world.node("a") { loop in
    let file = try await loop.files.open("/tmp/file", .readWrite, options: [.create, .truncate]).value
    var model = [UInt8]()
    func put(_ bytes: Bytes, at offset: Int) {
      if model.count < offset + bytes.count {
        model += [UInt8](repeating: 0, count: offset + bytes.count - model.count)
      }
      model.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
    for round in 0..<15 {
      switch loop.draw(9) {
      case 0, 1:
        let (bytes, offset) = (message(round, loop.draw(5000)), loop.draw(9000))
        if bytes.isEmpty { continue }
        try await file.write(bytes, at: Int64(offset)).value
        put(bytes, at: offset)
      case 2:
        let parts = (0..<4).map { message(round + $0, 1 + loop.draw(900)) }
        let offset = loop.draw(9000)
        try await file.write(parts, at: Int64(offset)).value
        var place = offset
        for part in parts {
          put(part, at: place)
          place += part.count
        }
      case 3:
        let (offset, count) = (loop.draw(9000), 1 + loop.draw(5000))
        let bytes = try await file.read(count, at: Int64(offset)).value
        let rest = model.dropFirst(offset).prefix(count)
        try expect(
          bytes.count <= rest.count && (!bytes.isEmpty || rest.isEmpty)
            && Array(bytes) == Array(rest.prefix(bytes.count)),
          "round \(round): \(bytes.count) other bytes at \(offset)")
      case 4:
        let size = loop.draw(9000)
        try await file.truncate(to: Int64(size)).value
        put(Bytes(), at: 0)
        if size < model.count {
          model.removeSubrange(size...)
        } else {
          model += [UInt8](repeating: 0, count: size - model.count)
        }
      case 5:
        let bytes = try await loop.files.readFile("/tmp/file").value
        try expect(Array(bytes) == model, "round \(round): the file is another one")
      case 6:
        // Wholes replace each other: a reader sees one of them.
        let (old, new) = (message(round, 3000), message(round + 1, 2000))
        try await loop.files.writeFile("/tmp/whole", old, atomically: loop.isDrawn(oneIn: 2)).value
        let writing = loop.spawn { () async throws(UVError) in
          try await loop.files.writeFile("/tmp/whole", new, atomically: true).value
        }
        let seen = try await loop.files.readFile("/tmp/whole").value
        try expect(seen == old || seen == new, "round \(round): half a file was seen")
        try await writing.value
        try expect(try await loop.files.readFile("/tmp/whole").value == new, "round \(round): an old file")
      case 7:
        try await loop.files.rename("/tmp/whole", to: "/tmp/other").timeoutIgnored()
        try await cancelledOperations(loop, ledger)
      default:
        let status = try await file.stat().value
        try expect(
          Int(status.size) == model.count, "round \(round): \(status.size) bytes in place of \(model.count)")
      }
    }
    try await file.close().value
    try expect(
      Array(try await loop.files.readFile("/tmp/file").value) == model, "the closed file is another one")
    let left = try await loop.files.scandir("/tmp").value.map { "\($0.name)" }
    try expect(Set(left).isSubset(of: ["file", "whole", "other", "made"]), "names are left: \(left)")
  }
}

extension Request<Void> {
  /// The file may be missing.
  fileprivate nonisolated(nonsending) func timeoutIgnored() async throws(UVError) {
    do throws(UVError) { try await value } catch { if error.code != .noSuchFile { throw error } }
  }
}

/// Operations of which some are cancelled, at any time.
private nonisolated(nonsending) func cancelledOperations(_ loop: EventLoop, _ ledger: Ledger) async throws {
  var left = 12
  for number in 0..<12 {
    func done<T>(_ then: @escaping (T) -> Void = { _ in }) -> Completion<T> {
      ledger.ask("operation \(number)") { result in
        left -= 1
        switch result {
        case .success(let value): then(value)
        case .failure(let error):
          if !error.isCancelled, error.code != .noSuchFile { ledger.complain("\(error)") }
        }
      }
    }
    let pending: PendingRequest =
      switch number % 6 {
      case 0: loop.files.open("/tmp/made", .writeOnly, options: .create, done { $0.close() })
      case 1:
        loop.files.mkstemp(
          "/tmp/XXXXXX",
          done { (file: File) in
            loop.files.unlink(file.path, ledger.ask("unlink"))
            file.close()
          })
      case 2: loop.files.stat("/tmp/file", done())
      case 3: loop.files.mkdtemp("/tmp/XXXXXX", done { loop.files.rmdir($0, ledger.ask("rmdir")) })
      case 4: loop.files.opendir("/tmp", done { $0.close() })
      default: loop.files.readFile("/tmp/file", done())
      }
    if loop.isDrawn(oneIn: 3) { loop.cancel(pending) }
    if loop.isDrawn(oneIn: 4) { loop.block(for: .milliseconds(1)) }
  }
  while left > 0 { try await loop.sleep(for: .milliseconds(1)).value }
  // What an operation has made goes by the next ones.
  try await loop.sleep(for: .milliseconds(50)).value
}

/// Work on the thread pool, more than it has threads, of which some is cancelled before it has begun.
private func pool(_ world: World, _ ledger: Ledger) throws {
  world.node("a") { loop in
    for round in 0..<4 {
      let (begun, ended) = (Shared(Set<Int>()), Shared(0))
      for number in 0..<15 {
        let done: Completion<Int> = ledger.ask("work \(number)") { result in
          ended.value += 1
          switch result {
          case .success(let value): if value != number { ledger.complain("work \(number) is \(value)") }
          case .failure(let error): if !error.isCancelled { ledger.complain("work: \(error)") }
          }
        }
        let pending = loop.work(
          { () -> Int in
            if !begun.value.insert(number).inserted { ledger.complain("work \(number) runs twice") }
            return number
          }, done)
        if loop.isDrawn(oneIn: 3) { loop.cancel(pending) }
        if loop.isDrawn(oneIn: 10) { loop.block(for: .milliseconds(1)) }
      }
      let bytes = try await loop.random(1 + loop.draw(40)).value
      try expect(!bytes.isEmpty, "no random bytes")
      let value = try await loop.work { round }.value
      try expect(value == round, "another value")
      while ended.value < 15 {
        try await loop.sleep(for: .milliseconds(1)).timeout(after: .seconds(10)).value
      }
    }
  }
}
