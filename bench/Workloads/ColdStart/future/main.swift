// cold-start with publishers: an echo server.
import UV
import UVFutures

func serve() throws {
  var subscriptions: Set<AnyCancellable> = []
  try EventLoop.runCallbacks { loop in
    let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    listener.publisher()
      .sink(receiveCompletion: { _ in }) { connection in
        connection.publisher()
          .flatMap(maxPublishers: .max(1)) { connection.write($0).publisher() }
          .sink(receiveCompletion: { _ in connection.close() }, receiveValue: {})
          .store(in: &subscriptions)
      }
      .store(in: &subscriptions)
    try loop.standardOutput.write(Bytes("\(try listener.localAddress().port)\n")).publisher()
      .sink(receiveCompletion: { _ in }, receiveValue: {})
      .store(in: &subscriptions)
  }
}

try serve()
