// Functions return erased publishers, that callers combine further; a publisher is read by `for await`.
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

enum ErasedPublishers: Program {
  static func main() throws {
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
}

// Prints:
// 5
// true
// ENOENT
// 6
