/// A callback that receives a request's value, or the error that ended the request. It is called once, on the
/// loop's thread, never before the call that it was passed to has returned.
///
/// After a loop has been shut down there is no later turn, so the callback receives `loopClosed` at once. If
/// it then makes another request of that loop, the new request is dropped without a call. Otherwise a
/// callback that repeats its request would never come to an end.
public typealias Completion<Success> = (Result<Success, UVError>) -> Void
