/// How a future ends. Combine knows the first two; the others are RxStream's, for a future that a filter emptied
/// or that was cancelled, and end a Combine subscription without a value.
@usableFromInline
enum Settlement<Output, Failure: Error> {
  case value(Output)
  case failure(Failure)
  case completed
  case cancelled
}
