import Glibc
import UV
import UVFutures
import UVHTTP
import UVPromises
import UVSimulation

/// Servers of which valgrind counts what a request takes. `Simulation/count` says how.
struct CountedServer {
  static let all = [
    CountedServer("echo callback", message, echoByCallbacks),
    CountedServer("echo promise", message, echoByPromises),
    CountedServer("echo future", message, echoByFutures),
    CountedServer("echo async", message, echoByTasks),
    CountedServer("http callback", request, pageByCallbacks),
    CountedServer("http promise", request, pageByPromises),
    CountedServer("http future", request, pageByFutures),
    CountedServer("http async", request, pageByTasks),
  ]

  let name: String
  private let request: Bytes
  private let serve: @Sendable (EventLoop, Served) throws(UVError) -> Void

  private init(
    _ name: String, _ request: String,
    _ serve: @escaping @Sendable (EventLoop, Served) throws(UVError) -> Void
  ) {
    (self.name, self.request, self.serve) = (name, Bytes(request.utf8), serve)
  }

  /// 64 bytes. This and the page end with a byte that is nowhere else.
  private static let message = String(repeating: "m", count: 63) + "!"
  private static let request = "GET / HTTP/1.1\r\nHost: server\r\n\r\n"

  /// Answers so many requests of each of eight connections, in a world that is always the same.
  ///
  /// - Parameter rounds: What a request takes besides: so many rounds of a loop of a few instructions.
  @discardableResult
  func run(requests: Int, rounds: Int) throws -> Simulation {
    let served = Served(requests: 8 * requests, rounds)
    let simulation = try Simulation(seed: 1) { world in
      world.host("server") { loop in try serve(loop, served) }
      world.client("client") { loop in
        var clients: [LoopTask<Void, any Error>] = []
        for _ in 0..<8 {
          clients.append(
            loop.spawn {
              let connection = try await loop.tcp.connect(host: "server", port: 80).value
              try await ask(connection, requests).value
              connection.close()
            })
        }
        for client in clients { try await client.value }
      }
    }
    guard served.requests == 8 * requests, served.marks == 2 else {
      print("\(name): \(served.requests) requests were served, not \(8 * requests)")
      exit(1)
    }
    return simulation
  }

  /// Asks so often, each time when the answer has come.
  private func ask(_ connection: TCPConnection, _ count: Int) -> Request<Void> {
    Request(connection.loop) { done in
      var left = count
      connection.start { result in
        guard case .success(let bytes?) = result else { return done(result.map { _ in }) }
        if bytes.last != UInt8(ascii: "!") { return }
        left -= 1
        if left > 0 { return _ = connection.write(request) { _ in } }
        connection.stop()
        done(.success(()))
      }
      connection.write(request) { _ in }
      return PendingRequest()
    }
  }
}

/// Valgrind writes down what it has counted when this function is called, which it knows by its name.
@_silgen_name("uvsim_mark") @inline(never) @_optimize(none)
private func mark(_ served: Served) { served.marks += 1 }

// Sound: one thread of a world runs at a time.
/// What a server of one world shares with its requests.
private final class Served: @unchecked Sendable {
  private(set) var requests = 0
  let response = HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain"])
  let body = Bytes("Hello, world!".utf8)
  /// Held by the futures.
  var subscriptions: Set<AnyCancellable> = []

  private let rounds: Int
  private var state: UInt64 = 1

  fileprivate(set) var marks = 0
  /// After how many requests there is a mark: four fifths of them are between the two.
  private let marked: [Int]

  init(requests: Int, _ rounds: Int) {
    self.rounds = rounds
    marked = [requests / 5, requests]
  }

  /// Counts a request, and does what it takes besides.
  func count() {
    requests += 1
    if marked.contains(requests) { mark(self) }
    for _ in 0..<rounds { state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
  }

  /// An echo's answer.
  func answer(_ bytes: Bytes) -> Bytes {
    count()
    return bytes
  }
}

private func echoByCallbacks(_ loop: EventLoop, _ served: Served) throws(UVError) {
  try loop.tcp.listen(port: 80).start { result in
    guard case .success(let connection?) = result else { return }
    connection.start { result in
      guard case .success(let bytes?) = result else { return _ = connection.close() }
      connection.write(served.answer(bytes)) { _ in }
    }
  }
}

private func echoByPromises(_ loop: EventLoop, _ served: Served) throws(UVError) {
  try loop.tcp.listen(port: 80).start { result in
    guard case .success(let connection?) = result else { return }
    connection.each { connection.write(served.answer($0)).promise() }
      .ensure { connection.close() }.cauterize()
  }
}

private func echoByFutures(_ loop: EventLoop, _ served: Served) throws(UVError) {
  try loop.tcp.listen(port: 80).publisher().sink(receiveCompletion: { _ in }) { connection in
    connection.publisher()
      .flatMap(maxPublishers: .max(1)) { connection.write(served.answer($0)).publisher() }
      .sink(receiveCompletion: { _ in connection.close() }, receiveValue: {})
      .store(in: &served.subscriptions)
  }.store(in: &served.subscriptions)
}

private func echoByTasks(_ loop: EventLoop, _ served: Served) throws(UVError) {
  let listener = try loop.tcp.listen(port: 80)
  _ = loop.spawn {
    for try await connection in listener {
      _ = loop.spawn {
        do {
          for try await bytes in connection { try await connection.write(served.answer(bytes)).value }
        } catch {}
        connection.close()
      }
    }
  }
}

private func pageByCallbacks(_ loop: EventLoop, _ served: Served) throws(UVError) {
  try loop.http.listen(port: 80).start { result in
    guard case .success(let exchange?) = result else { return }
    served.count()
    exchange.respond(served.response, served.body) { _ in }
  }
}

private func pageByPromises(_ loop: EventLoop, _ served: Served) throws(UVError) {
  try loop.http.listen(port: 80).each { exchange in
    served.count()
    return exchange.respond(served.response, served.body).promise()
  }.cauterize()
}

private func pageByFutures(_ loop: EventLoop, _ served: Served) throws(UVError) {
  try loop.http.listen(port: 80).publisher().flatMap { exchange in
    served.count()
    return exchange.respond(served.response, served.body).publisher()
  }.sink(receiveCompletion: { _ in }, receiveValue: {}).store(in: &served.subscriptions)
}

private func pageByTasks(_ loop: EventLoop, _ served: Served) throws(UVError) {
  let server = try loop.http.listen(port: 80)
  _ = loop.spawn {
    for try await exchange in server {
      served.count()
      try await exchange.respond(served.response, served.body).value
    }
  }
}
