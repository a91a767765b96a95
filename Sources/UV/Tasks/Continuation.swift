/// Suspends the task until the continuation is resumed: `withUnsafeContinuation`, less a change of executor.
///
/// That function takes an isolation, and so begins with a change to it, which costs as much as a read even where it
/// changes nothing. This one stays where its caller is.
@inlinable
@inline(__always)
nonisolated(nonsending) func withContinuation<T>(
  _ body: (UnsafeContinuation<T, Never>) -> Void
) async -> sending T {
  await _unsafeInheritExecutor_withUnsafeContinuation(body)
}
