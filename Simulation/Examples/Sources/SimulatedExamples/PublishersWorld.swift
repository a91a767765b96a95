import UV
import UVFutures
import UVSimulation
import WorldSupport

/// Publishers over connections, which hold the peer back, and whose subscriptions are cancelled at any time.
/// Every byte comes once and in order, each subscription ends once, and nothing comes after a cancellation.
func publishersWorld(_ world: World) throws {
  let server = world.host("server") { loop in
    loop.shutdownGracefully(onSignals: [.terminate], within: .seconds(60)) { _ in }
    let listener = try loop.tcp.listen(port: 80)
    var subscriptions: [ObjectIdentifier: AnyCancellable] = [:]
    for try await connection in listener {
      let isSlow = Bool.random()
      let key = ObjectIdentifier(connection)
      // An echo: the next bytes are read once those before have left.
      subscriptions[key] = connection.publisher()
        .flatMap(maxPublishers: .max(1)) { bytes in
          loop.sleep(for: .milliseconds(isSlow ? Int64.random(in: 0..<30) : 0)).publisher()
            .flatMap { connection.write(bytes).publisher() }
        }
        .sink(
          receiveCompletion: { completion in
            if case .finished = completion {
              connection.shutdown { _ in connection.close() }
            } else {
              connection.close()
            }
            loop.queueMicrotask { subscriptions[key] = nil }
          }, receiveValue: {})
    }
    while !subscriptions.isEmpty { try await loop.sleep(for: .milliseconds(100)).value }
  }
  try ask(server, in: world) { loop, number in
    for round in 0..<3 {
      let connection = try await loop.tcp.connect(host: "server", port: 80).value
      defer { connection.close() }
      let sent = message(number + round, 20_000 + Int.random(in: 0..<60_000))
      let writing = loop.spawn { () async throws(UVError) in try await connection.write(sent).value }
      let reader = PublishedReader(connection, sent)
      while reader.count < sent.count { try await reader.readSome() }
      try reader.check()
      try await writing.value
      try await connection.shutdown().value
      if let more = try await connection.next().value {
        throw Violation("client \(number): \(more.count) bytes more")
      }
      try await askFutures(loop, number)
    }
  }
}

/// Reads what comes back, in many chains of operators one after the other.
// Sound: one thread of a world runs at a time.
private final class PublishedReader: @unchecked Sendable {
  let connection: ByteStream
  let expected: Bytes
  private var bytes = BytesBuilder()
  private(set) var count = 0
  private var complaint: String?

  init(_ connection: ByteStream, _ expected: Bytes) {
    self.connection = connection
    self.expected = expected
  }

  private func take(_ more: Bytes) -> Int {
    let place = expected.startIndex + count
    if more.count > expected.count - count || Bytes(expected[place..<place + more.count]) != more {
      complaint = "other bytes at \(count)"
    }
    count += more.count
    return more.count
  }

  func check() throws { if let complaint { throw Violation(complaint) } }

  /// Subscribes, and cancels some time later.
  func readSome() async throws {
    let loop = connection.loop
    var (inside, most, ends, isCancelled) = (0, 0, 0, false)
    let width = Int.random(in: 1...3)
    let seen = connection.publisher().map { [self] bytes in
      if isCancelled { complaint = "bytes after a cancellation" }
      inside += 1
      most = max(most, inside)
      return take(bytes)
    }
    func ended(_ completion: Subscribers.Completion<UVError>) {
      ends += 1
      if isCancelled { complaint = "an end after a cancellation" }
      if case .failure(let error) = completion { complaint = "\(error)" }
    }
    let subscription: AnyCancellable
    switch Int.random(in: 0..<6) {
    case 0: subscription = seen.sink(receiveCompletion: ended) { _ in inside -= 1 }
    case 1:
      subscription =
        seen.flatMap(maxPublishers: .max(width)) { count in
          loop.sleep(for: .milliseconds(Int64.random(in: 0..<40))).publisher().map { count }
        }.sink(receiveCompletion: ended) { _ in inside -= 1 }
    case 2:
      subscription =
        seen.flatMap(maxPublishers: .max(width)) { count in loop.work { count }.publisher() }
        .receive(on: loop).sink(receiveCompletion: ended) { _ in inside -= 1 }
    case 3:
      subscription = seen.prefix(width).sink(receiveCompletion: ended) { _ in inside -= 1 }
    case 4:
      subscription = seen.merge(with: loop.sleep(for: .milliseconds(20)).publisher().map { 0 })
        .sink(receiveCompletion: ended) { _ in }
    default:
      // By hand, one at a time.
      var iterator = seen.values.makeAsyncIterator()
      for _ in 0..<width where count < expected.count { _ = try await iterator.next() }
      return try check()
    }
    let limit = Int.random(in: 0..<4) == 0 ? 5000 : 50
    try await loop.sleep(for: .milliseconds(Int64.random(in: 0...Int64(limit)))).value
    isCancelled = true
    subscription.cancel()
    if ends > 1 { throw Violation("a subscription ended \(ends) times") }
    try check()
  }
}

/// Futures with several subscribers, of whom some go before the answer.
private func askFutures(_ loop: EventLoop, _ number: Int) async throws {
  var got = [0, 0, 0]
  var kept: [AnyCancellable?] = []
  let length = Duration.milliseconds(Int64.random(in: 0..<20))
  let future = loop.sleep(for: length).future()
  let answers = future.map { number }
  for place in 0..<3 {
    kept.append(
      answers.sink(receiveCompletion: { _ in got[place] += 10 }, receiveValue: { _ in got[place] += 1 }))
  }
  let gone = Int.random(in: 0..<4)
  if gone < 3 { kept[gone] = nil }
  try await loop.sleep(for: .milliseconds(60)).value
  for place in 0..<3 where got[place] != (place == gone ? 0 : 11) {
    throw Violation("subscriber \(place) of a future got \(got[place]), and \(gone) has gone")
  }
  kept = []
  // A limit of a chain.
  do {
    let limited = loop.sleep(for: .seconds(9)).publisher()
      .timeout(.milliseconds(3), scheduler: loop, customError: { UVError(.timedOut, operation: "chain") })
    for try await _ in limited.values { throw Violation("a sleep of nine seconds has ended") }
    throw Violation("a limit ends without an error")
  } catch let error as UVError {
    if error.code != .timedOut { throw error }
  }
}
