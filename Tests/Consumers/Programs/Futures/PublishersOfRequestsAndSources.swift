// Requests and sources as publishers, with back-pressure, in pipelines, erased, and cancelled with their
// subscription.
import UV
import UVFutures

private protocol Repository {
  func size(of path: String) -> AnyLoopPublisher<Int64, UVError>
}

private struct Disk: Repository {
  let loop: EventLoop
  func size(of path: String) -> AnyLoopPublisher<Int64, UVError> {
    loop.files.stat(path).publisher().map(\.size).eraseToAnyLoopPublisher()
  }
}

private struct Fixed: Repository {
  func size(of path: String) -> AnyLoopPublisher<Int64, UVError> {
    AnyLoopPublisher(Just(Int64(path.count)).setFailureType(to: UVError.self))
  }
}

private func total(_ repository: some Repository, _ paths: [String]) -> some LoopPublisher<Int64, UVError> {
  paths.publisher.setFailureType(to: UVError.self).flatMap { repository.size(of: $0) }
    .reduce(0, +).eraseToAnyLoopPublisher()
}

enum PublishersOfRequestsAndSources: Program {
  static func main() throws {
    try pipelineOverFiles()
    try sourcesAsPublishers()
    try erasedPublishers()
    try cancellingBySubscription()
  }

  /// Publishers of Combine's vocabulary over the loop's requests.
  private static func pipelineOverFiles() throws {
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      ["/", "/nowhere", "/tmp"].publisher
        .setFailureType(to: UVError.self)
        .flatMap { path in
          loop.files.stat(path).publisher()
            .map { "\(path): \($0.type)" }
            .catch { error in Just("\(path): \(error.message)").setFailureType(to: UVError.self) }
        }
        .collect()
        .map { $0.sorted() }
        .sink(
          receiveCompletion: { print($0) },
          receiveValue: { $0.forEach { print($0) } }
        )
        .store(in: &subscriptions)
    }
  }

  /// Sources as publishers: ticks, a listener, a connection; demand is back-pressure.
  private static func sourcesAsPublishers() throws {
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

  /// Functions return erased publishers, that callers combine further; a publisher is read by `for await`.
  private static func erasedPublishers() throws {
    try EventLoop.run { loop in
      for try await size in total(Fixed(), ["/", "/tmp"]).values { print(size) }
      for try await size in total(Disk(loop: loop), ["/"]).values { print(size >= 0) }
      do throws(UVError) {
        for try await size in Disk(loop: loop).size(of: "/nowhere").values { print(size) }
      } catch {
        print(error.name)
      }
      let numbers = [1, 2, 3].publisher.flatMap { number in Future<Int, Never> { $0(.success(number)) } }
      var sum = 0
      for await number in numbers.values { sum += number }
      print(sum)
    }
  }

  /// Letting a subscription go cancels the work behind it; a future's ends with its last subscriber.
  private static func cancellingBySubscription() throws {
    EventLoop.runCallbacks { loop in
      var kept: AnyCancellable? = loop.sleep(for: .untilCancelled).publisher()
        .handleEvents(receiveCancel: { print("cancelled") })
        .sink(receiveCompletion: { print($0) }, receiveValue: { print("slept") })
      loop.sleep(for: .milliseconds(1)) { _ in
        print(kept != nil)
        kept = nil
      }
      let future = loop.sleep(for: .untilCancelled).future()
      let first = future.sink(receiveCompletion: { _ in }, receiveValue: { print("first") })
      let second = future.sink(receiveCompletion: { _ in }, receiveValue: { print("second") })
      first.cancel()
      second.cancel()
    }
    print("ended")
  }
}

// Prints:
// /: directory
// /nowhere: no such file or directory
// /tmp: directory
// finished
// ticks: 3
// echoed
// true
// listener: finished
// 5
// true
// ENOENT
// 6
// true
// cancelled
// ended
