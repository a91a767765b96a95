// Publishers of Combine's vocabulary over the loop's requests.
import UV
import UVFutures

enum PipelineOverFiles: Program {
  static func main() throws {
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
}

// Prints:
// /: directory
// /nowhere: no such file or directory
// /tmp: directory
// finished
