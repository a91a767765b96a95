import UV

/// The code of the error with which `expression` fails; nil if it doesn't.
func code<T>(of expression: @autoclosure () throws(UVError) -> T) -> UVError.Code? {
  do throws(UVError) { _ = try expression() } catch { return error.code }
  return nil
}

/// The same for an expression that waits.
nonisolated(nonsending) func code<T>(
  awaiting expression: nonisolated(nonsending) @autoclosure () async throws(UVError) -> T
) async -> UVError.Code? {
  do throws(UVError) { _ = try await expression() } catch { return error.code }
  return nil
}
