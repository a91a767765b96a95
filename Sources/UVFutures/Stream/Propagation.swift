/// What RxStream's operators attached to a future.
@usableFromInline
final class FutureBranches<Output, Failure: Error> {
  func abandon() {}
}

extension Future {
  @usableFromInline
  final func fulfillBranches(_ settlement: Settlement<Output, Failure>) {
  }
}
