// Futures as in Combine: made by a closure, by an asynchronous closure, subscribed late, awaited.
import UV
import UVFutures

private struct Model: Equatable { var name: String }

private enum LoadError: Error { case missing(String) }

private final class Loader {
  let loop: EventLoop
  init(_ loop: EventLoop) { self.loop = loop }

  func load(_ name: String) -> Future<Model, LoadError> {
    Future { promise in
      self.loop.sleep(for: .milliseconds(1)) { _ in
        promise(name.isEmpty ? .failure(.missing(name)) : .success(Model(name: name)))
      }
    }
  }

  func modelPublisher(_ name: String) -> Future<Model, any Error> {
    Future { try await self.read(name) }
  }

  func read(_ name: String) async throws -> Model {
    let bytes = try await loop.files.readFile(name).value
    return Model(name: "\(bytes.count)")
  }
}

enum FuturesOfCombine: Program {
  static func main() throws {
    var cancellables: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      let loader = Loader(loop)
      let future = loader.load("a model")
      future.map(\.name).replaceError(with: "none").sink { print($0) }.store(in: &cancellables)
      loader.load("").sink(
        receiveCompletion: { completion in
          if case .failure(.missing) = completion { print("missing") }
          future.sink(receiveCompletion: { print($0) }, receiveValue: { print("late: \($0.name)") })
            .store(in: &cancellables)
        }, receiveValue: { print($0) }
      ).store(in: &cancellables)
    }
    try EventLoop.run { loop in
      let loader = Loader(loop)
      print(try await loader.load("awaited").value.name)
      do throws(LoadError) {
        print(try await loader.load("").value)
      } catch {
        switch error {
        case .missing(let name): print("missing", name.isEmpty)
        }
      }
      do {
        print(try await loader.modelPublisher("/nowhere").value)
      } catch {
        print(error)
      }
      let never = Future<Int, Never> { $0(.success(42)) }
      print(await never.value)
    }
  }
}

// Prints:
// a model
// missing
// late: a model
// finished
// awaited
// missing true
// read_file /nowhere: no such file or directory (ENOENT)
// 42
