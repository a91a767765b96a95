import BenchHarness
import CBenchSupport
import UV
import UVFutures
import UVPromises

extension Workloads {
  /// One operation: one write of `size` bytes, taken in by the peer. Under way: one write on each connection. The row: for each request of
  /// eight bytes (a little-endian number) makes so many writes of the same `size` bytes, filled by `bench_fill(bytes, size, seed)`; the
  /// next write is issued when the last has completed; may read on meanwhile.
  static let tcpStream = ServerWorkload(
    name: "tcp-stream", summary: "a write to a peer that only reads",
    parameters: [
      connections(1, "connections, each with one write under way"),
      messageSize(65536, help: "bytes of a write"),
    ],
    load: .stream,
    rows: TCPStream.rows(beside: "tcp-stream"),
    targets: [
      Target(
        "tcp-stream", ["connections": 1, "size": 65536], .throughput,
        bounds: [.callback: 0.98, .async: 0.97, .promise: 0.95, .future: 0.95],
        reasons: [.callback: spread, .async: spread, .promise: spread, .future: spread])
    ])

  private static let spread =
    "the kernel copies 64 KiB for each write; C itself varies by 30 to 45 % from round to round on this machine"
}

/// `tcp-stream`: the peer asks for so many writes of the same bytes, one at a time.
enum TCPStream: ServerRows {
  static let callback = TCPService<TCPListener>.callbacks { service, task, _ in
    service.listener.start { result in
      guard let connection = service.accept(result) else { return }
      let stream = Stream(service, connection, task)
      connection.start { result in
        switch result {
        case .success(let chunk?): if stream.ask(chunk) { stream.pump() }
        case .success(nil): service.close(connection)
        case .failure(let error): service.fail(error, on: connection)
        }
      }
    }
  }

  static let promise = TCPService<TCPListener>.callbacks { service, task, _ in
    service.listener.start { result in
      guard let connection = service.accept(result) else { return }
      let stream = Stream(service, connection, task)
      func serve() -> Promise<Void> {
        connection.next().promise().then { chunk -> Promise<Void> in
          guard let chunk else { return .value }
          return stream.ask(chunk) ? stream.pumped().then(serve) : serve()
        }
      }
      serve().done { service.close(connection) }.catch { service.fail($0, on: connection) }
    }
  }

  static let future = TCPService<TCPListener>.callbacks { service, task, _ in
    service.listener.publisher()
      .sink(receiveCompletion: { service.end($0) }) { connection in
        service.admit(connection)
        let stream = Stream(service, connection, task)
        connection.publisher()
          .flatMap(maxPublishers: .max(1)) { chunk in
            (0..<stream.take(chunk)).publisher.setFailureType(to: UVError.self)
              .flatMap(maxPublishers: .max(1)) { _ in stream.write().publisher() }
          }
          .sink(receiveCompletion: { service.end($0, of: connection) }, receiveValue: {})
          .store(in: &service.subscriptions)
      }
      .store(in: &service.subscriptions)
  }

  static let async = TCPService<TCPListener>.task { service, task, loop in
    for try await connection in service.listener {
      service.admit(connection)
      loop.spawn {
        do throws(UVError) {
          let stream = Stream(service, connection, task)
          for try await chunk in connection {
            guard stream.ask(chunk) else { continue }
            while stream.next() { try await stream.write().value }
          }
          service.close(connection)
        } catch { service.fail(error, on: connection) }
      }
      if service.isFull { break }
    }
  }
}

/// A connection whose peer asks for writes.
private final class Stream {
  private let service: TCPService<TCPListener>
  private let connection: TCPConnection
  private let payload: Bytes
  private var requests = WriteRequests()

  init(_ service: TCPService<TCPListener>, _ connection: TCPConnection, _ task: ServerTask) {
    (self.service, self.connection, payload) = (service, connection, task.payload)
  }

  /// Takes in what was read. True if there is something to write where nothing was.
  func ask(_ chunk: Bytes) -> Bool {
    service.bytesRead += chunk.count
    return requests.add(chunk)
  }

  /// Takes in what was read, and says how many writes that makes.
  func take(_ chunk: Bytes) -> UInt64 {
    service.bytesRead += chunk.count
    return requests.take(chunk)
  }

  /// Whether there is another write to be issued; counts it.
  func next() -> Bool { requests.next() }

  func write() -> Request<Void> {
    service.bytesWritten += payload.count
    return connection.write(payload)
  }

  func pump() {
    guard next() else { return }
    service.bytesWritten += payload.count
    connection.write(payload) { [self] result in
      service.check(result, on: connection)
      pump()
    }
  }

  func pumped() -> Promise<Void> { next() ? write().promise().then(pumped) : .value }
}

/// The peer's requests: little-endian numbers of eight bytes, each of so many writes.
private struct WriteRequests {
  private var received = 0
  private var number: UInt64 = 0
  private var remaining: UInt64 = 0

  /// Takes in what was read. True if there is something to write where nothing was.
  mutating func add(_ bytes: Bytes) -> Bool {
    let wasIdle = remaining == 0
    for byte in bytes {
      number |= UInt64(byte) << UInt64(received % 8 * 8)
      received += 1
      guard received % 8 == 0 else { continue }
      remaining += number
      number = 0
    }
    return wasIdle && remaining > 0
  }

  /// Takes in what was read, and says how many writes that makes.
  mutating func take(_ bytes: Bytes) -> UInt64 {
    _ = add(bytes)
    defer { remaining = 0 }
    return remaining
  }

  /// Whether there is another write to be issued; counts it.
  mutating func next() -> Bool {
    if remaining == 0 { return false }
    remaining -= 1
    return true
  }
}

extension ServerTask {
  /// What every write sends.
  fileprivate var payload: Bytes {
    Bytes(unsafeUninitializedCapacity: size) { buffer in
      bench_fill(buffer.baseAddress, size, seed)
      return size
    }
  }
}
