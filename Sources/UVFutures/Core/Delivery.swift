#if canImport(Combine) || Futures || Everything
/// The function of a ``Downstream``. An object that hands on to one keeps this alone, which saves 24 bytes.
///
/// An optional function would get a wrapper wherever it is stored or read, in builds for debugging.
@usableFromInline
struct Delivery<Output, Failure: Error> {
  @usableFromInline let function: (Signal<Output, Failure>) -> Subscribers.Demand

  @inlinable
  init(to downstream: Downstream<Output, Failure>) { function = downstream.deliver }

  @inlinable
  func receive(link: Link) { _ = function(.subscription(link)) }

  @inlinable
  func receive(_ output: Output) -> Subscribers.Demand { function(.value(output)) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) { _ = function(.completion(completion)) }
}
#endif
