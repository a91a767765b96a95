// A request of one's own that forgets its completion on a path fails, in place of waiting for ever.
import UV
import UVFutures
import UVPromises

extension EventLoop {
  /// Answers even numbers alone.
  fileprivate func half(of number: Int) -> Request<Int> {
    Request(self) { done in
      self.sleep(for: .milliseconds(1)) { _ in
        if number.isMultiple(of: 2) { done(.success(number / 2)) }
      }
    }
  }
}

private func name<T>(_ body: () async throws -> T) async -> String {
  do { return "\(try await body())" } catch {
    return (error as? UVError)?.name ?? "\(error)"
  }
}

enum LostAnswer: Program {
  static func main() throws {
    EventLoop.run { loop in
      print(await name { try await loop.half(of: 84).value })
      print(await name { try await loop.half(of: 1).value })
      print(await name { try await loop.half(of: 1).map { $0 + 1 }.value })
      print(await name { try await loop.half(of: 1).promise().then { loop.half(of: $0).promise() }.async() })
      print(await name { try await loop.half(of: 1).future().value })
      print(await name { try await loop.half(of: 1).retry(RetryPolicy(attempts: 2, backoff: .none)).value })
    }
    do throws(UVError) {
      _ = try EventLoop.run { (loop) async throws(UVError) in try await loop.half(of: 3).value }
    } catch {
      print(error)
    }
  }
}

// Prints:
// 42
// EABANDONED
// EABANDONED
// EABANDONED
// EABANDONED
// EABANDONED
// half: no result can come any more: what was to deliver it has been released (EABANDONED)
