/// A callback that receives a request's value, or the error that ended the request. It is called once, on the
/// loop's thread, never before the call that it was passed to has returned. After a loop has been shut down there
/// is no later turn, so the callback receives `loopClosed` at once.
///
/// When a loop ends, it answers everything that is pending, in a last round. It doesn't answer what a callback of
/// this round asks for: the callback that was passed is let go of without a call. Otherwise a callback that repeats
/// its request would never come to an end. Code elsewhere is told, and so is every task. A close is always answered.
public typealias Completion<Success> = (Result<Success, UVError>) -> Void
