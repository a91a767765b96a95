#if canImport(Combine) || Futures || Everything
import UV

/// A `map`, which may be one of a request or of a future.
@usableFromInline
protocol KnownMap {
  static var mapsRequests: Bool { get }
  static var mapsFutures: Bool { get }
}

/// A request that runs for a `flatMap`, and the `map` behind it.
@usableFromInline
final class MappedRequest<Value, Output>: RequestInner {
  /// The functions that the request was started for. They are in a structure, since an optional function would get a
  /// wrapper wherever it is stored or read.
  @usableFromInline
  struct Purpose {
    @usableFromInline let transform: (Value) -> Output
    @usableFromInline let answer: (FlatMapInner, Result<Output, UVError>) -> Void

    @inlinable
    init(
      _ transform: @escaping (Value) -> Output,
      _ answer: @escaping (FlatMapInner, Result<Output, UVError>) -> Void
    ) {
      (self.transform, self.answer) = (transform, answer)
    }
  }

  /// Nil once the request has ended or was cancelled. The object may be used again then.
  @usableFromInline @exclusivity(unchecked) var purpose: Purpose?

  @inlinable override init() { super.init() }

  @inlinable
  func start(_ request: Request<Value>) {
    pending = request.start({ [self] in finish($0) }, void: { [self] in finish($0.typed()) })
  }

  @inlinable
  func finish(_ result: Result<Value, UVError>) {
    pending = PendingRequest()
    // The value is transformed for nobody otherwise.
    guard let purpose = purpose.take() else { return }
    switch result {
    case .success(let value): purpose.answer(self, .success(purpose.transform(value)))
    case .failure(let error): purpose.answer(self, .failure(error))
    }
  }

  @usableFromInline
  override func cancel() {
    purpose = nil
    super.cancel()
  }
}
#endif
