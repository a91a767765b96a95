import BenchKit
import UV
import UVFutures
import UVPromises

/// The workloads in which each connection is read from, and answered: `tcp-echo`, `tcp-ping-pong`,
/// `pipe-echo`, `tls-echo` and `resp-get-set`.
enum TCPAnswers<Listener: ServerListener, Exchange: ServerExchange>: ServerRows {
  static var callback: ServerRow {
    TCPService<Listener>.callbacks { service, task, _ in
      let start = Exchange(task.size)
      service.listener.start { result in
        guard let connection = service.accept(result) else { return }
        var exchange = start
        let written: Completion<Void> = { service.check($0, on: connection) }
        func echo() {
          connection.start { result in
            switch result {
            case .success(let chunk?):
              connection.write(service.answer(chunk, &exchange), written)
              if connection.isAboveHighWaterMark {
                connection.stop()
                connection.drain { _ in echo() }
              }
            case .success(nil): service.close(connection)
            case .failure(let error): service.fail(error, on: connection)
            }
          }
        }
        echo()
      }
    }
  }

  static var promise: ServerRow {
    TCPService<Listener>.callbacks { service, task, _ in
      let start = Exchange(task.size)
      service.listener.start { result in
        guard let connection = service.accept(result) else { return }
        var exchange = start
        connection.each { chunk in
          connection.write(service.answer(chunk, &exchange)).promise()
        }.done { service.close(connection) }.catch { service.fail($0, on: connection) }
      }
    }
  }

  static var future: ServerRow {
    TCPService<Listener>.callbacks { service, task, _ in
      let start = Exchange(task.size)
      service.listener.publisher()
        .sink(receiveCompletion: { service.end($0) }) { connection in
          service.admit(connection)
          var exchange = start
          connection.publisher()
            .flatMap(maxPublishers: .max(1)) { chunk in
              connection.write(service.answer(chunk, &exchange)).publisher()
            }
            .sink(receiveCompletion: { service.end($0, of: connection) }, receiveValue: {})
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
