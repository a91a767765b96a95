#if Everything
import Testing
import UV
import UVFutures
import UVPromises
import UVTestSupport

/// The ways to run a request. `future` is the eager one, `publisher` the cold one.
enum Style: CaseIterable {
  case callback, promise, publisher, future, async

  /// Starts a request in this style, and writes down each end that it has: nil for a success, else the code.
  ///
  /// - Returns: What cancels it, in the style's own way.
  func start<Success>(
    _ request: Request<Success>, on loop: EventLoop, _ log: Log<UVError.Code?>
  ) -> () -> Void {
    switch self {
    case .callback:
      let pending = request.start { result in
        if case .failure(let error) = result { log.append(error.code) } else { log.append(nil) }
      }
      return { pending.cancel() }
    case .promise:
      let end = request.promise()
        .done { _ in log.append(nil) }
        .catch(policy: .allErrors) { error in
          log.append((error as? UVError)?.code ?? (error.isCancelled ? .cancelled : nil))
        }
      return { end.cancel() }
    case .publisher:
      return sink(request.publisher(), log)
    case .future:
      return sink(request.future(), log)
    case .async:
      let task = loop.spawn {
        do throws(UVError) {
          _ = try await request.value
          log.append(nil)
        } catch {
          log.append(error.code)
        }
      }
      return { task.cancel() }
    }
  }

  private func sink<P: Publisher>(_ publisher: P, _ log: Log<UVError.Code?>) -> () -> Void
  where P.Failure == UVError {
    let subscription = publisher.sink { completion in
      if case .failure(let error) = completion { log.append(error.code) } else { log.append(nil) }
    } receiveValue: { _ in
    }
    return { subscription.cancel() }
  }
}
#endif
