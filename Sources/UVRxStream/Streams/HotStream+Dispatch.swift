import UV

/// A stream of many values whose next operation is done elsewhere.
///
/// The operation's closure leaves the loop, so it must be `Sendable`, as must the values that go there and
/// back. One value is dealt with after the other, in order. The operations after it run on the stream's loop
/// again.
///
/// ```swift
/// lines.dispatch(.async(on: .background)).map { parse($0) }.on { show($0) }
/// ```
///
/// RxStream's `dispatch(_:)`.
public struct DispatchedHot<Output: Sendable, Failure: Error> {
  let stream: Hot<Output, Failure>
  let dispatch: Dispatch
  let loop: EventLoop

  /// A stream of the values, transformed where the dispatch says; where `transform` returns nil, none is
  /// passed on.
  @discardableResult
  public func map<T: Sendable>(_ transform: @escaping @Sendable (Output) -> T?) -> Hot<T, Failure> {
    elsewhere { transform($0).map { .success($0) } }
  }

  /// A stream of what `transform` makes of the values where the dispatch says: others, or errors after which
  /// it goes on.
  @discardableResult
  public func resultMap<T: Sendable>(
    _ transform: @escaping @Sendable (Output) -> Result<T, Failure>
  ) -> Hot<T, Failure> {
    elsewhere { transform($0) }
  }

  /// Calls `handler` with each value where the dispatch says; what follows waits for it.
  @discardableResult
  public func on(_ handler: @escaping @Sendable (Output) -> Void) -> Hot<Output, Failure> {
    elsewhere {
      handler($0)
      return .success($0)
    }
  }

  private func elsewhere<T: Sendable>(
    _ work: @escaping @Sendable (Output) -> Result<T, Failure>?
  ) -> Hot<T, Failure> {
    let (dispatch, loop) = (dispatch, loop)
    var waiting = Queue<StreamEvent<Output, Failure>>()
    var isAway = false
    func advance(_ emit: @escaping (StreamEvent<T, Failure>) -> Void) {
      while !isAway, let event = waiting.popFirst() {
        guard case .next(let value) = event else {
          emit(event.withoutValue()!)
          continue
        }
        isAway = true
        dispatch.run(
          work, of: value,
          then: { result in
            isAway = false
            switch result {
            case .success(let new)?: emit(.next(new))
            case .failure(let error)?: emit(.error(error))
            case nil: break
            }
            advance(emit)
          }, on: loop)
      }
    }
    return stream.derive { event, emit in
      waiting.append(event)
      advance(emit)
    }
  }
}

extension HotStream where Output: Sendable {
  /// Has the next operation done where `dispatch` says, one value after the other, and what follows on the
  /// current loop again.
  ///
  /// There must be a current loop: outside one this stops the program with a message.
  public func dispatch(_ dispatch: Dispatch) -> DispatchedHot<Output, Failure> {
    DispatchedHot(stream: asHot, dispatch: dispatch, loop: .needed(for: "dispatch(_:)"))
  }
}
