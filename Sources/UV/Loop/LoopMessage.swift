/// A message to a loop that is an object and needs no closure.
@usableFromInline
// Sound: each subclass says why.
package class LoopMessage: @unchecked Sendable {
  /// Called once on the loop's thread.
  func arrive(on loop: EventLoop) {}
}
