#if Everything
import Foundation
import Testing
import UVFutures
import UVTLS
import UVTestSupport

/// Publishers of TLS connections.
@Suite struct PublisherTests {
  @Test func `A listener and its connections publish, and a request to connect does`() async throws {
    let (server, client) = try (Certificates.shared.server(), Certificates.shared.client())
    try await withLoop { loop in
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, server)
      let port = try Int(listener.localAddress().port)
      let log = Log<String>()
      var subscriptions: Set<AnyCancellable> = []
      listener.publisher()
        .sink(receiveCompletion: { log.append("listener \($0)") }) { connection in
          connection.publisher()
            .flatMap(maxPublishers: .max(1)) { connection.write($0).publisher() }
            .sink(
              receiveCompletion: {
                log.append("connection \($0)")
                connection.close()
              }, receiveValue: {}
            )
            .store(in: &subscriptions)
        }
        .store(in: &subscriptions)
      loop.tls.connect(host: "localhost", port: port, client).publisher()
        .flatMap { connection in
          connection.write("hello").publisher()
            .flatMap { connection.read(exactly: 5).publisher() }
            .flatMap { bytes in
              log.append(String(decoding: bytes ?? Bytes(), as: UTF8.self))
              return connection.shutdown().publisher()
            }
            .flatMap { connection.next().publisher() }
            .map { (connection, $0) }
        }
        .sink(receiveCompletion: { log.append("client \($0)") }) { connection, last in
          #expect(last == nil)
          connection.close()
          listener.close()
        }
        .store(in: &subscriptions)
      while log.values.count < 4 { try await loop.sleep(for: .zero).value }
      #expect(
        log.values.sorted() == ["client finished", "connection finished", "hello", "listener finished"])
    }
  }

  @Test func `A reader without demand has nothing read for it, and goes on when it asks`() async throws {
    final class Slow: Subscriber {
      typealias Input = Bytes
      typealias Failure = UVError
      var subscription: (any Subscription)?
      var count = 0
      func receive(subscription: any Subscription) { self.subscription = subscription }
      func receive(_ bytes: Bytes) -> Subscribers.Demand {
        count += bytes.count
        return .none
      }
      func receive(completion: Subscribers.Completion<UVError>) {}
    }
    try await withTLS { loop, server, client throws in
      let slow = Slow()
      server.publisher().subscribe(slow)
      let total = 4 << 20
      let log = Log<Bool>()
      client.write(Bytes(repeating: 1, count: total)) { log.append($0.error == nil) }
      for _ in 0..<50 { try await loop.sleep(for: .zero).value }
      #expect(slow.count == 0)
      #expect(log.values.isEmpty)
      while slow.count < total {
        slow.subscription?.request(.max(1))
        try await loop.sleep(for: .zero).value
      }
      while log.values.isEmpty { try await loop.sleep(for: .zero).value }
      #expect(log.values == [true])
      slow.subscription?.cancel()
    }
  }

  @Test func `A cut is a failure of the publisher`() async throws {
    try await withTLS { loop, server, client throws in
      let log = Log<UVError.Code?>()
      let subscription = server.publisher().sink { completion in
        if case .failure(let error) = completion { log.append(error.code) } else { log.append(nil) }
      } receiveValue: { _ in
      }
      // As if the peer had died: nobody says anything of an end.
      Foundation.shutdown(try client.fileDescriptor(), 2)
      while log.values.isEmpty { try await loop.sleep(for: .zero).value }
      #expect(log.values == [.tlsTruncated])
      subscription.cancel()
    }
  }
}
#endif
