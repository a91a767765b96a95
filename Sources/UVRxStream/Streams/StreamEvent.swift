/// An event of a stream of many values.
///
/// RxStream's `Event`.
public enum StreamEvent<Output, Failure: Error> {
  /// A value.
  case next(Output)
  /// An error after which the stream goes on.
  case error(Failure)
  /// The end, after which nothing comes.
  case terminate(reason: Termination<Failure>)
}

extension StreamEvent {
  /// The error or the end as it is for a stream of other values; nil if there is a value.
  func withoutValue<T>(as _: T.Type = T.self) -> StreamEvent<T, Failure>? {
    switch self {
    case .next: nil
    case .error(let error): .error(error)
    case .terminate(let reason): .terminate(reason: reason)
    }
  }
}
