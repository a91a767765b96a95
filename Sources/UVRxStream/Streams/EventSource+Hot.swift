public import UV

extension EventSource {
  /// The source as a stream of all that it delivers from now on, which ends as the source does. There is no
  /// back-pressure: the source is asked for everything.
  ///
  /// The source keeps the stream, and its chain, until it has ended, or until you call its `stop()`.
  ///
  /// RxStream's `Hot`.
  public func hot() -> Hot<Element, UVError> {
    let stream = Hot<Element, UVError>()
    start { result in
      switch result {
      case .success(let element?): stream.receive(.next(element))
      case .success(nil): stream.receive(.terminate(reason: .completed))
      case .failure(let error): stream.receive(.terminate(reason: .error(error)))
      }
    }
    return stream
  }
}
