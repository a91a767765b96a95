// Actors, the main actor and a dispatch queue await what happens on a loop, and get its errors.
import Dispatch
import UV

private actor Cache {
  private let executor: LoopExecutor
  private var sizes: [String: Int64] = [:]

  init(_ executor: LoopExecutor) { self.executor = executor }

  func size(of path: String) async throws(UVError) -> Int64 {
    if let size = sizes[path] { return size }
    let size = try await executor.run { loop async throws(UVError) in
      try await loop.files.stat(path).value.size
    }
    sizes[path] = size
    return size
  }
}

@MainActor private func title(_ executor: LoopExecutor) async -> String {
  struct NoTitle: Error {}
  let name = "screen"
  do {
    return try await executor.run(name: name) { loop in
      try await loop.sleep(for: .milliseconds(1)).value
      if loop.isClosed { throw NoTitle() }
      return "a title for \(name)"
    }
  } catch { return "\(error)" }
}

enum AsyncCallsFromActors: Program {
  static func main() throws {
    let group = try EventLoopGroup(count: 2)
    try EventLoop.run { loop in
      let executor = group.next()
      let cache = Cache(executor)
      print(try await cache.size(of: "/") == cache.size(of: "/"))
      do throws(UVError) { _ = try await cache.size(of: "/no/such/file") } catch { print(error.name) }

      print(await title(executor))

      let isOnLoop = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          Task { continuation.resume(returning: try await executor.run { _ in executor.isOnLoop }) }
        }
      }
      print(isOnLoop)

      // A body that has begun is cancelled with its caller.
      let waiting = Task {
        try await executor.run { loop in try await loop.sleep(for: .seconds(1000)).value }
      }
      waiting.cancel()
      do { try await waiting.value } catch let error as UVError { print(error.name) }

      // For callbacks and promises of another loop it is a request.
      let type = executor.run(on: loop) { other async throws(UVError) in
        try await other.files.stat("/").value.type
      }
      print(try await type.value)

      _ = await group.shutdownGracefully(within: .zero)
      do throws(UVError) { try await executor.run { _ in print("never") } } catch {
        print(error.code == .loopClosed)
      }
    }
  }
}

// Prints:
// true
// ENOENT
// a title for screen
// true
// ECANCELED
// directory
// true
