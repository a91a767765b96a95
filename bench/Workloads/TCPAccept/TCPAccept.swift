import BenchHarness
import UV
import UVFutures
import UVPromises
import UVTLS

extension Workloads {
  /// One operation: connect, `size` bytes there and back, close. Under way: `in-flight` connections. The row: writes back what it reads and
  /// closes the connection after `size` bytes.
  static let tcpAccept = ServerWorkload(
    name: "tcp-accept", summary: "accept a connection, one message there and back, close",
    parameters: [inFlight(8, takesDescriptors: true), messageSize(64, help: "bytes of a message")],
    load: .accept,
    rows: TCPAccept<TCPListener>.rows(beside: "tcp-accept"))

  /// One operation: `tcp-accept` through TLS, with a `key` of so many bits; `resumed=1`: each handshake resumes an earlier session. Under
  /// way: `in-flight` connections. The row: the same; the sign of the end (`close_notify`) goes before the close.
  static let tlsHandshake = ServerWorkload(
    name: "tls-handshake", summary: "tcp-accept through TLS 1.3: the handshake is what it costs",
    parameters: [
      inFlight(8, takesDescriptors: true), messageSize(64, help: "bytes of a message"),
      Parameter(
        "key", 2048, in: 256...8192, help: "bits of the server's key: RSA, or ECDSA on P-256 for 256"),
      Parameter("resumed", 0, 1, in: 0...1, help: "1: each handshake resumes the session of an earlier one"),
    ],
    load: .accept, isSecure: true,
    rows: TCPAccept<TLSListener>.rows(beside: "tcp-accept"))
}

/// `tcp-accept` and `tls-handshake`: one message is written back on each connection, which is closed then.
enum TCPAccept<Listener: ServerListener>: ServerRows {
  static var callback: ServerRow {
    TCPService<Listener>.callbacks { service, _, _ in
      service.listener.start { result in
        guard let connection = service.accept(result) else { return }
        var missing = service.size
        let written: Completion<Void> = { result in
          service.check(result, on: connection)
          guard missing == 0 else { return }
          connection.stop()
          service.close(connection)
        }
        func echo() {
          connection.start { result in
            switch result {
            case .success(let chunk?):
              missing -= chunk.count
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
    }
  }

  static var promise: ServerRow {
    TCPService<Listener>.callbacks { service, _, _ in
      service.listener.start { result in
        guard let connection = service.accept(result) else { return }
        var missing = service.size
        func echo() -> Promise<Void> {
          connection.next().promise().then { chunk -> Promise<Void> in
            guard let chunk else { return .value }
            missing -= chunk.count
            service.bytesRead += chunk.count
            service.bytesWritten += chunk.count
            let written = connection.write(chunk).promise()
            return missing == 0 ? written : written.then(echo)
          }
        }
        echo().done { service.close(connection) }.catch { service.fail($0, on: connection) }
      }
    }
  }

  static var future: ServerRow {
    TCPService<Listener>.callbacks { service, _, _ in
      service.listener.publisher()
        .sink(receiveCompletion: { service.end($0) }) { connection in
          service.admit(connection)
          var missing = service.size
          connection.publisher()
            .flatMap(maxPublishers: .max(1)) { chunk in
              missing -= chunk.count
              service.bytesRead += chunk.count
              service.bytesWritten += chunk.count
              return connection.write(chunk).publisher()
            }
            .first { missing == 0 }
            .sink(receiveCompletion: { service.end($0, of: connection) }, receiveValue: {})
            .store(in: &service.subscriptions)
        }
        .store(in: &service.subscriptions)
    }
  }

  static var async: ServerRow {
    TCPService<Listener>.task { service, _, loop in
      for try await connection in service.listener {
        service.admit(connection)
        loop.spawn {
          do throws(UVError) {
            var missing = service.size
            for try await chunk in connection {
              missing -= chunk.count
              service.bytesRead += chunk.count
              service.bytesWritten += chunk.count
              try await connection.write(chunk).value
              if missing == 0 { break }
            }
            service.close(connection)
          } catch { service.fail(error, on: connection) }
        }
        if service.isFull { break }
      }
    }
  }
}
