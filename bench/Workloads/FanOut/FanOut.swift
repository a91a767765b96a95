import BenchHarness
import CBenchSupport
import UV
import UVFutures
import UVPromises

extension Workloads {
  /// One operation: one message of `size` bytes from the last of `connections` to each of them. Under way: 1: the next is sent when all but
  /// the `slow` ones have it. The row: writes a message to each connection, without waiting; while more than 64 KiB wait for one, it misses
  /// what is said, and when they have left it hears how many messages that were.
  ///
  /// The first `slow` connections read nothing until the last message is sent, then they read all: each message must come or be among those
  /// that the server says were missed. They are as far away as Ethernet (segments of 1,448 bytes, a receive buffer of 4 KiB), since on the
  /// loopback the kernel alone would hold megabytes for each. Latencies are those of the other connections. `held_bytes` is what the
  /// allocator has given out since the slow ones stopped reading, for each of them. A message is in memory once, in all rows. The row in
  /// async/await reads in tasks, and begins writes as the example Chat does, by the form with a callback: a task would have to be made for
  /// each write that nobody waits for. The row of futures has a subject for each connection.
  static let fanOut = ServerWorkload(
    name: "fan-out", summary: "what one connection sends, each gets, though some read late",
    note:
      "latencies are those of the connections that read at once; --counters shows the bytes held for a slow one",
    parameters: [
      Parameter(
        "connections", 1000, quick: 100, in: 2...65_535, takesDescriptors: true,
        help: "connections, one of which sends"),
      Parameter(
        "slow", 0, 100, quick: 10, in: 0...65_534,
        help: "those that read nothing until the last message is sent"),
      Parameter("messages", 60, in: 1...100_000, help: "messages in each round"),
      Parameter("size", 4096, in: 16...65_536, help: "bytes of a message"),
    ],
    load: .fanOut,
    rows: FanOut.rows(beside: "fan-out"))
}

/// `fan-out`: what one connection sends, each gets. Nobody waits for one that doesn't read: above a limit it
/// misses what is said, and hears how much that was. The example Chat has members like these.
enum FanOut: ServerRows {
  static let callback = TCPTaker.callback { service, _ in Room(service, CallbackMember.init).join }

  static let promise = TCPTaker.promise { service, _ in Room(service, PromiseMember.init).join }

  static let future = TCPTaker.future { service, _ in
    let room = Room(service, FutureMember.init)
    return { connection in
      let hear = room.join(connection)
      return { $0.map(hear).eraseToAnyPublisher() }
    }
  }

  static let async = TCPTaker.async { service, _ in
    let room = Room(service, TaskMember.init)
    return { connection in
      let hear = room.join(connection)
      return { hear($0) }
    }
  }
}

/// Who gets what is said.
private final class Room {
  private let service: TCPService<TCPListener>
  private let member: (TCPConnection, TCPService<TCPListener>) -> Member
  private var members: [Member] = []

  init(
    _ service: TCPService<TCPListener>, _ member: @escaping (TCPConnection, TCPService<TCPListener>) -> Member
  ) {
    (self.service, self.member) = (service, member)
  }

  /// Adds a member; what the connection sends is then said to all.
  func join(_ connection: TCPConnection) -> (Bytes) -> Void {
    members.append(member(connection, service))
    let frames = Frames(of: service.size, service)
    return { [self] chunk in
      // A copy, which doesn't keep the rest of what was read.
      for message in frames.take(chunk) { say(message.copy()) }
    }
  }

  private func say(_ message: Bytes) {
    for member in members { member.send(message) }
    // Members that miss it get a count.
    service.bytesWritten += members.count * message.count
  }
}

private class Member {
  let connection: TCPConnection
  let service: TCPService<TCPListener>
  private var missed = 0

  init(_ connection: TCPConnection, _ service: TCPService<TCPListener>) {
    (self.connection, self.service) = (connection, service)
    connection.highWaterMark = Int(BENCH_FAN_OUT_MARK)
  }

  final func send(_ message: Bytes) {
    guard missed > 0 || connection.isAboveHighWaterMark else { return write(message) }
    missed += 1
    if missed == 1 { waitUntilRead() }
  }

  /// The member has read what there was, and hears what it has missed.
  final func didRead() {
    var notice = BytesBuilder(capacity: service.size)
    notice.append(littleEndian: bench_fan_out_notice(UInt64(missed)))
    notice.append(Bytes(repeating: 0, count: service.size - notice.count))
    missed = 0
    write(notice.takeBytes())
  }

  final func fail(_ error: any Error) { service.fail(error, on: connection) }

  /// Begins a write, which nobody waits for.
  func write(_: Bytes) {}
  func waitUntilRead() {}
}

private class CallbackMember: Member {
  override final func write(_ message: Bytes) {
    connection.write(message) { [self] in service.check($0, on: connection) }
  }

  override func waitUntilRead() {
    connection.drain { [self] result in
      switch result {
      case .success: didRead()
      case .failure(let error): fail(error)
      }
    }
  }
}

private final class PromiseMember: Member {
  override func write(_ message: Bytes) { connection.write(message).promise().catch(fail) }

  override func waitUntilRead() { connection.drain().promise().done(didRead).catch(fail) }
}

private final class FutureMember: Member {
  private let messages = PassthroughSubject<Bytes, UVError>()

  override init(_ connection: TCPConnection, _ service: TCPService<TCPListener>) {
    super.init(connection, service)
    messages.flatMap { connection.write($0).publisher() }
      .sink(receiveCompletion: { [self] in end($0) }, receiveValue: {})
      .store(in: &service.subscriptions)
  }

  override func write(_ message: Bytes) { messages.send(message) }

  override func waitUntilRead() {
    connection.drain().publisher()
      .sink(receiveCompletion: { [self] in end($0) }, receiveValue: { [self] in didRead() })
      .store(in: &service.subscriptions)
  }

  private func end(_ completion: Subscribers.Completion<UVError>) {
    if case .failure(let error) = completion { fail(error) }
  }
}

/// As the example has it: a task would have to be made for each write that nobody waits for.
private final class TaskMember: CallbackMember {
  override func waitUntilRead() {
    connection.loop.spawn { [self] in
      do throws(UVError) {
        try await connection.drain().value
        didRead()
      } catch { fail(error) }
    }
  }
}
