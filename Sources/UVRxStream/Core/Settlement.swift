/// How a future ends.
enum Settlement<Output, Failure: Error> {
  case value(Output)
  case failure(Failure)
  /// Without a value: an operator has passed nothing on.
  case completed
  case cancelled
}

extension Settlement {
  init(_ result: Result<Output, Failure>) {
    switch result {
    case .success(let output): self = .value(output)
    case .failure(let error): self = .failure(error)
    }
  }

  init(_ termination: Termination<Failure>) {
    switch termination {
    case .completed: self = .completed
    case .cancelled: self = .cancelled
    case .error(let error): self = .failure(error)
    }
  }

  var termination: Termination<Failure> {
    switch self {
    case .value, .completed: .completed
    case .cancelled: .cancelled
    case .failure(let error): .error(error)
    }
  }

  /// The end as it is for a future of other values; nil if there is a value.
  func withoutValue<T>(as _: T.Type = T.self) -> Settlement<T, Failure>? {
    switch self {
    case .value: nil
    case .completed: .completed
    case .cancelled: .cancelled
    case .failure(let error): .failure(error)
    }
  }

  func map<T>(_ transform: (Output) -> T) -> Settlement<T, Failure> {
    if case .value(let value) = self { return .value(transform(value)) }
    return withoutValue()!
  }
}
