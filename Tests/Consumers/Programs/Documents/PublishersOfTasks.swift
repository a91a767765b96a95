// Asynchronous functions and sequences as publishers, as an article about bridges has them.
import UV
import UVFutures

private struct Model: Equatable, Sendable { var name: String }

private final class ModelLoader: Sendable {
  struct Missing: Error {}

  func load(_ name: String) async throws -> Model {
    await Task.yield()
    guard !name.isEmpty else { throw Missing() }
    return Model(name: name)
  }

  func load(_ names: [String]) -> AsyncThrowingStream<Model, any Error> {
    AsyncThrowingStream { continuation in
      for name in names where !name.isEmpty { continuation.yield(Model(name: name)) }
      continuation.finish(throwing: names.contains("") ? Missing() : nil)
    }
  }
}

extension ModelLoader {
  func publisher(_ name: String) -> Future<Model, any Error> {
    Future { try await self.load(name) }
  }

  func publisher(_ names: [String]) -> AnyPublisher<Model, any Error> {
    PassthroughSubject.emittingValues(from: load(names)).eraseToAnyPublisher()
  }
}

enum PublishersOfTasks: Program {
  static func main() throws {
    var cancellables: Set<AnyCancellable> = []
    let loader = ModelLoader()
    for name in ["one", ""] {
      EventLoop.runCallbacks { _ in show(name, loader.publisher(name), in: &cancellables) }
    }
    for names in [["one", "two"], ["three", ""]] {
      EventLoop.runCallbacks { _ in show("\(names)", loader.publisher(names), in: &cancellables) }
    }
  }

  private static func show(
    _ name: String, _ publisher: some Publisher<Model, any Error>, in cancellables: inout Set<AnyCancellable>
  ) {
    publisher.sink { completion in
      if case .failure(let error) = completion { print(name, "failed:", error is ModelLoader.Missing) }
      if case .finished = completion { print(name, "finished") }
    } receiveValue: {
      print($0.name)
    }
    .store(in: &cancellables)
  }
}

// Prints:
// one
// one finished
//  failed: true
// one
// two
// ["one", "two"] finished
// three
// ["three", ""] failed: true
