import UV

/// The operations of a soak, each of which goes through with its work or is ended in the middle of it.
final class Churn {
  let loop: EventLoop
  var report: SoakReport
  private let random: RandomSource
  private let files: FileChurn
  private let directory: String
  private let listener: TCPListener
  private let address: SocketAddress
  private var serving = 0

  init(_ loop: EventLoop, seed: UInt64, directory: String) throws(UVError) {
    self.loop = loop
    report = SoakReport(seed: seed)
    random = RandomSource(seed: seed)
    files = FileChurn(loop, directory)
    self.directory = directory
    listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    address = try listener.localAddress()
    listener.start { [unowned self] result in
      if let connection = try? result.get() { serve(connection) }
    }
  }

  func close() { listener.close() }

  /// One operation, chosen at random.
  func step() async throws(UVError) {
    switch random.number(0...99) {
    case 0..<55: await attempt("connection") { () async throws(UVError) in try await converse() }
    case 55..<60: await attempt("connect, given up") { () async throws(UVError) in try await giveUp() }
    case 60..<70: await attempt("file") { () async throws(UVError) in try await files.roundTrip(random) }
    case 70..<80: await attempt("open, cancelled") { () async throws(UVError) in try await cancelOpen() }
    case 80..<85:
      await attempt("whole file") { () async throws(UVError) in try await files.wholeFile(random) }
    case 85..<92: await attempt("sleep, cancelled") { () async throws(UVError) in try await cancelSleep() }
    case 92..<96:
      await attempt("lookup") { () async throws(UVError) in
        _ = try await loop.dns.resolve("localhost").timeout(after: .milliseconds(random.number(0...20))).value
      }
    default:
      await attempt("work") { () async throws(UVError) in
        _ = try await loop.work { (1...1000).reduce(0, +) }.value
      }
    }
  }

  /// Has as many files looked at and pages read as can ever be under way, all at once: what the library keeps
  /// to use again is then as large as it gets.
  func crowd(_ count: Int) async throws(UVError) {
    let path = "\(directory)/page"
    try await loop.files.writeFile(path, Bytes(repeating: 0, count: 4096)).value
    let file = try await loop.files.open(path).value
    let tasks = (0..<count).map { _ in
      loop.spawn { () async throws(UVError) in
        _ = try await self.loop.files.stat(self.directory).value
        return try await file.read(4096, at: 0).value
      }
    }
    for task in tasks { _ = try await task.value }
    try await file.close().value
    try await loop.files.unlink(path).value
    try await settle()
  }

  /// Waits until nothing is under way but the caller.
  func settle() async throws(UVError) {
    while serving > 0 || loop.statistics.requests > 0 || loop.statistics.handles > 1 {
      try await loop.sleep(for: .milliseconds(1)).value
    }
    // What a completion has set free goes in the next turn.
    for _ in 0..<3 { try await loop.sleep(for: .zero).value }
  }

  private func attempt(_ name: String, _ body: () async throws(UVError) -> Void) async {
    do throws(UVError) { try await body() } catch { note(error, name) }
    report.operations[name, default: 0] += 1
  }

  private func note(_ error: UVError, _ name: String) {
    if error.subject == Self.difference { report.faults.append("\(name): \(error)") }
    report.errors["\(name): \(error.operation) \(error.name)", default: 0] += 1
  }

  /// What an error is about that says that bytes differ.
  static let difference = "other bytes than were written"

  // MARK: Connections

  /// The far end: sends back what comes, unless it closes in the middle of it.
  private func serve(_ connection: TCPConnection) {
    serving += 1
    var patience = random.oneIn(3) ? random.number(0...8) : Int.max
    let resets = random.oneIn(2)
    connection.start { [unowned self] result in
      guard case .success(let bytes?) = result, patience > 0 else {
        if patience == 0, resets { connection.closeReset() }
        connection.close { [unowned self] _ in serving -= 1 }
        // A close in the middle ends the reading with an error, which comes here once more.
        connection.stop()
        return
      }
      patience -= 1
      connection.write(bytes) { _ in }
      if connection.isAboveHighWaterMark {
        connection.stop()
        connection.drain { [unowned self] _ in
          if connection.isClosing { return }
          resume(connection)
        }
      }
    }
  }

  private func resume(_ connection: TCPConnection) {
    serving -= 1
    serve(connection)
  }

  /// The near end: writes, reads back and compares, unless it leaves in the middle of it.
  private func converse() async throws(UVError) {
    let connection = try await loop.tcp.connect(to: address).value
    let leaves = random.oneIn(4)
    do throws(UVError) {
      for round in 0..<random.number(1...6) {
        let bytes = Bytes(
          repeating: UInt8(truncatingIfNeeded: random.next()), count: random.number(1...40_000))
        try await connection.write(bytes).value
        if leaves, round == 2 { break }
        try await readBack(bytes, connection)
      }
    } catch {
      _ = try? await connection.close().value
      throw error
    }
    switch random.number(0...3) {
    case 0: connection.closeReset()
    case 1:
      _ = try? await connection.shutdown().value
      while let bytes = try? await connection.next().value, !bytes.isEmpty {}
    default: break
    }
    _ = try? await connection.close().value
  }

  private func readBack(_ bytes: Bytes, _ connection: TCPConnection) async throws(UVError) {
    var left = bytes.count
    // Now and then nobody has the time to wait.
    let limit: Duration? = random.oneIn(8) ? .microseconds(random.number(0...3000)) : nil
    while left > 0 {
      let request = limit.map { connection.next().timeout(after: $0) } ?? connection.next()
      guard let part = try await request.value else {
        throw UVError(.endOfFile, operation: "read")
      }
      guard part.count <= left, part == Bytes(bytes.prefix(part.count)) else {
        throw UVError(.invalidArgument, operation: "read", subject: Self.difference)
      }
      left -= part.count
    }
  }

  private func giveUp() async throws(UVError) {
    if random.oneIn(2) {
      let connection = try await loop.tcp.connect(to: address).timeout(after: .zero).value
      _ = try? await connection.close().value
    } else {
      let task = loop.spawn { () async throws(UVError) in
        try await self.loop.tcp.connect(to: self.address).value
      }
      for _ in 0..<random.number(0...2) { try await loop.sleep(for: .zero).value }
      task.cancel()
      let connection = try await task.value
      _ = try? await connection.close().value
    }
  }

  // MARK: Files and timers

  private func cancelOpen() async throws(UVError) {
    let task = loop.spawn { () async throws(UVError) in try await self.loop.files.open("/etc/passwd").value }
    for _ in 0..<random.number(0...3) { try await loop.sleep(for: .zero).value }
    task.cancel()
    let file = try await task.value
    // Closed, or dropped.
    if random.oneIn(2) { try await file.close().value }
  }

  private func cancelSleep() async throws(UVError) {
    let task = loop.spawn { () async throws(UVError) in try await self.loop.sleep(for: .seconds(1000)).value }
    try await loop.sleep(for: .milliseconds(random.number(0...2))).value
    task.cancel()
    try await task.value
  }
}
