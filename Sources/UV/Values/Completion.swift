/// A callback that receives a request's value, or the error that ended the request. It is called once, on the
/// loop's thread, never before the call that it was passed to has returned. After a loop has been shut down
/// there is no later turn, so the callback receives `loopClosed` at once.
///
/// When a loop ends, it answers all pending requests in a last round. If a callback of this round makes a new
/// request, that request gets no answer, and its callback is dropped without a call. Otherwise a callback
/// that repeats its request would never come to an end. Requests of other code and of tasks still get an
/// answer, and so does every close.
public typealias Completion<Success> = (Result<Success, UVError>) -> Void
