import UV
import UVFutures
import UVPromises

/// The rows that take what each connection brings, and aren't held up by what they answer: `overload` and
/// `fan-out`. A style is how they read; what they write is up to them.
enum TCPTaker {
  /// What takes the bytes of a connection. It is asked for once by each row.
  typealias Takers =
    @Sendable (_ service: TCPService<TCPListener>, _ loop: EventLoop) -> (TCPConnection) -> (Bytes) -> Void
  /// The same in the task that reads, which may wait.
  typealias TaskTakers =
    @Sendable (_ service: TCPService<TCPListener>, _ loop: EventLoop) -> (TCPConnection) -> TaskTaker
  typealias TaskTaker = nonisolated(nonsending) (Bytes) async throws(UVError) -> Void
  /// The same by publishers.
  typealias Pipelines =
    @Sendable (_ service: TCPService<TCPListener>, _ loop: EventLoop) -> (TCPConnection) -> (
      AnyPublisher<Bytes, UVError>
    ) -> AnyPublisher<Void, UVError>

  static func callback(_ takers: @escaping Takers) -> ServerRow {
    reading(takers) { connection, service, take in
      connection.start { result in
        switch result {
        case .success(let chunk?): take(chunk)
        case .success(nil): service.close(connection)
        case .failure(let error): service.fail(error, on: connection)
        }
      }
    }
  }

  static func promise(_ takers: @escaping Takers) -> ServerRow {
    reading(takers) { connection, service, take in
      connection.each { chunk -> Promise<Void> in
        take(chunk)
        return .value
      }.done { service.close(connection) }.catch { service.fail($0, on: connection) }
    }
  }

  /// A row whose connections are read as `read` does it.
  private static func reading(
    _ takers: @escaping Takers,
    _ read: @escaping @Sendable (TCPConnection, TCPService<TCPListener>, @escaping (Bytes) -> Void) -> Void
  ) -> ServerRow {
    TCPService<TCPListener>.callbacks { service, _, loop in
      let taker = takers(service, loop)
      service.listener.start { result in
        guard let connection = service.accept(result) else { return }
        read(connection, service, taker(connection))
      }
    }
  }

  static func future(_ pipelines: @escaping Pipelines) -> ServerRow {
    TCPService<TCPListener>.callbacks { service, _, loop in
      let pipeline = pipelines(service, loop)
      service.listener.publisher()
        .sink(receiveCompletion: { service.end($0) }) { connection in
          service.admit(connection)
          pipeline(connection)(connection.publisher().eraseToAnyPublisher())
            .sink(receiveCompletion: { service.end($0, of: connection) }, receiveValue: {})
            .store(in: &service.subscriptions)
        }
        .store(in: &service.subscriptions)
    }
  }

  static func async(_ takers: @escaping TaskTakers) -> ServerRow {
    TCPService<TCPListener>.task { service, _, loop in
      let taker = takers(service, loop)
      for try await connection in service.listener {
        service.admit(connection)
        let take = taker(connection)
        loop.spawn {
          do throws(UVError) {
            for try await chunk in connection { try await take(chunk) }
            service.close(connection)
          } catch { service.fail(error, on: connection) }
        }
        if service.isFull { break }
      }
    }
  }
}

/// The messages of a connection, all of which have so many bytes.
final class Frames {
  private let service: TCPService<TCPListener>
  private let size: Int
  /// The beginning of one that isn't complete.
  private var rest = Bytes()

  init(of size: Int, _ service: TCPService<TCPListener>) {
    (self.size, self.service) = (size, service)
  }

  /// Those that are complete with what was read.
  func take(_ chunk: Bytes) -> [Bytes] {
    service.bytesRead += chunk.count
    let bytes = rest.followed(by: chunk)
    let end = bytes.count / size * size
    rest = Bytes(bytes[end...])
    return stride(from: 0, to: end, by: size).map { Bytes(bytes[$0..<($0 + size)]) }
  }
}

extension Bytes {
  /// These bytes and then others. If these are none, nothing is copied.
  fileprivate func followed(by others: Bytes) -> Bytes {
    guard !isEmpty else { return others }
    var both = BytesBuilder()
    both.append(self)
    both.append(others)
    return both.takeBytes()
  }
}
