/// What a callback receives: the value, or the error that ended the request. Called once, on the loop's thread,
/// never before the call that it was passed to has returned, except on a loop that has been shut down: there is no
/// later turn then, and `loopClosed` is told at once. A completion that is told `loopClosed` and makes another request
/// of that loop isn't told again: the new request is dropped, so that a completion that repeats itself ends.
public typealias Completion<Success> = (Result<Success, UVError>) -> Void
