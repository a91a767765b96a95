import UV
import UVFutures
import UVPromises

/// `tcp-echo`, `tcp-ping-pong` and `tls-echo`: what is read is written back.
enum TCPEcho<Listener: ServerListener> {
  static func callback(_ task: ServerTask) throws -> ServerReport {
    try EventLoop.runCallbacks { loop in
      let service = try TCPService<Listener>(task, on: loop)
      service.listener.start { result in
        guard let connection = service.accept(result) else { return }
        let written: Completion<Void> = { service.check($0, on: connection) }
        func echo() {
          connection.start { result in
            switch result {
            case .success(let chunk?):
              service.bytesRead += chunk.count
              service.bytesWritten += chunk.count
              connection.write(chunk, written)
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
      return service
    }.report()
  }

  static func promise(_ task: ServerTask) throws -> ServerReport {
    try EventLoop.runCallbacks { loop in
      let service = try TCPService<Listener>(task, on: loop)
      service.listener.start { result in
        guard let connection = service.accept(result) else { return }
        connection.each { chunk in
          service.bytesRead += chunk.count
          service.bytesWritten += chunk.count
          return connection.write(chunk).promise()
        }.done { service.close(connection) }.catch { service.fail($0, on: connection) }
      }
      return service
    }.report()
  }

  static func future(_ task: ServerTask) throws -> ServerReport {
    try EventLoop.runCallbacks { loop in
      let service = try TCPService<Listener>(task, on: loop)
      service.listener.publisher()
        .sink(receiveCompletion: { service.end($0) }) { connection in
          service.admit(connection)
          connection.publisher()
            .flatMap(maxPublishers: .max(1)) { chunk in
              service.bytesRead += chunk.count
              service.bytesWritten += chunk.count
              return connection.write(chunk).publisher()
            }
            .sink(receiveCompletion: { service.end($0, of: connection) }, receiveValue: {})
            .store(in: &service.subscriptions)
        }
        .store(in: &service.subscriptions)
      return service
    }.report()
  }

  static func async(_ task: ServerTask) throws -> ServerReport {
    try EventLoop.run { loop in
      let service = try TCPService<Listener>(task, on: loop)
      for try await connection in service.listener {
        service.admit(connection)
        loop.spawn {
          do throws(UVError) {
            for try await chunk in connection {
              service.bytesRead += chunk.count
              service.bytesWritten += chunk.count
              try await connection.write(chunk).value
            }
            service.close(connection)
          } catch { service.fail(error, on: connection) }
        }
        if service.isFull { break }
      }
      return service
    }.report()
  }
}
