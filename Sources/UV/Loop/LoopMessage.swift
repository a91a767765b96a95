/// A message to a loop that is an object and needs no closure.
// Sound: a message belongs to whoever has it, and changes hands under the lock of an inbox. Each type says how.
package protocol LoopMessage: AnyObject, Sendable {
  /// Called once on the loop's thread each time the message was sent there.
  func arrive(on loop: EventLoop)
}
