/// The walk of a result through a tree of futures.
///
/// Values go down, branch by branch; terminations are told bottom-up, when everything below has heard. Both are
/// lists here and not calls, so that a chain may be of any length.
struct Propagation {
}

extension Future {
  @usableFromInline
  final func fulfillBranches(_ settlement: Settlement<Output, Failure>) {
  }
}
