// Sources as publishers: ticks, a listener, a connection; demand is back-pressure.
import UV
import UVFutures

enum SourcesAsPublishers: Program {
  static func main() throws {
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      loop.ticks(every: .milliseconds(1)).publisher()
        .prefix(3).map { _ in 1 }.reduce(0, +)
        .sink(receiveCompletion: { _ in }) { print("ticks: \($0)") }
        .store(in: &subscriptions)
    }
    try EventLoop.runCallbacks { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      listener.publisher()
        .flatMap { connection in
          connection.publisher().handleEvents(receiveCompletion: { _ in connection.close() })
            .flatMap { chunk in connection.write(chunk).publisher() }
        }
        .sink(receiveCompletion: { print("listener: \($0)") }, receiveValue: { print("echoed") })
        .store(in: &subscriptions)

      loop.tcp.connect(to: try listener.localAddress()).publisher()
        .flatMap { client in
          client.write("hello").publisher()
            .flatMap { client.read().publisher() }
            .handleEvents(receiveCompletion: { _ in client.close() })
        }
        .sink(
          receiveCompletion: { _ in listener.close() },
          receiveValue: { print($0 == "hello") }
        )
        .store(in: &subscriptions)
    }
  }
}

// Prints:
// ticks: 3
// echoed
// true
// listener: finished
