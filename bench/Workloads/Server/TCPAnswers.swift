import BenchHarness
import UV
import UVFutures
import UVPromises
import UVTLS

typealias Plain<Exchange: ServerExchange> = TCPAnswers<TCPListener, Exchange>
typealias Secure<Exchange: ServerExchange> = TCPAnswers<TLSListener, Exchange>

/// The workloads in which each connection is read from, and answered.
enum TCPAnswers<Listener: ServerListener, Exchange: ServerExchange>: ServerRows {
  static var callback: ServerRow {
    TCPService<Listener>.callbacks { service, task, _ in
      let exchange = Exchange(task.size)
      service.listener.start { result in
        guard let connection = service.accept(result) else { return }
        ServedConnection(service, connection, exchange).read()
      }
    }
  }

  static var promise: ServerRow {
    TCPService<Listener>.callbacks { service, task, _ in
      let exchange = Exchange(task.size)
      service.listener.start { result in
        guard let connection = service.accept(result) else { return }
        let served = ServedConnection(service, connection, exchange)
        connection.each { served.connection.write(served.answer($0)).promise() }
          .done { served.close() }
          .catch { served.fail($0) }
      }
    }
  }

  static var future: ServerRow {
    TCPService<Listener>.callbacks { service, task, _ in
      let exchange = Exchange(task.size)
      service.listener.publisher()
        .sink(receiveCompletion: { service.end($0) }) { connection in
          service.admit(connection)
          let served = ServedConnection(service, connection, exchange)
          connection.publisher()
            .flatMap(maxPublishers: .max(1)) { served.connection.write(served.answer($0)).publisher() }
            .sink(receiveCompletion: { served.end($0) }, receiveValue: {})
            .store(in: &service.subscriptions)
        }
        .store(in: &service.subscriptions)
    }
  }

  static var async: ServerRow {
    TCPService<Listener>.task { service, task, loop in
      let start = Exchange(task.size)
      for try await connection in service.listener {
        service.admit(connection)
        loop.spawn {
          var exchange = start
          do throws(UVError) {
            for try await chunk in connection {
              try await connection.write(service.answer(chunk, &exchange)).value
            }
            service.close(connection)
          } catch { service.fail(error, on: connection) }
        }
        if service.isFull { break }
      }
    }
  }
}

/// A connection and what serves it: one object, so that each of its handlers captures one reference.
private final class ServedConnection<Listener: ServerListener, Exchange: ServerExchange> {
  let connection: Listener.Element
  private let service: TCPService<Listener>
  private var exchange: Exchange

  init(_ service: TCPService<Listener>, _ connection: Listener.Element, _ exchange: Exchange) {
    (self.service, self.connection, self.exchange) = (service, connection, exchange)
  }

  /// What is to be written after these bytes have been read.
  func answer(_ chunk: Bytes) -> Bytes { service.answer(chunk, &exchange) }

  func close() { service.close(connection) }

  func fail(_ error: any Error) { service.fail(error, on: connection) }

  func end(_ completion: Subscribers.Completion<UVError>) { service.end(completion, of: connection) }

  /// Reads with a callback, and answers.
  func read() { connection.start { [self] in received($0) } }

  private func received(_ result: Result<Bytes?, UVError>) {
    switch result {
    case .success(let chunk?):
      connection.write(answer(chunk)) { [self] in service.check($0, on: connection) }
      if connection.isAboveHighWaterMark {
        connection.stop()
        connection.drain { [self] _ in read() }
      }
    case .success(nil): close()
    case .failure(let error): fail(error)
    }
  }
}
