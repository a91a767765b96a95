public import Testing
public import UV

/// Runs `body`, which is to fail with one of `codes`.
public func expectFailure<T>(
  _ codes: UVError.Code..., sourceLocation: SourceLocation = #_sourceLocation,
  _ body: nonisolated(nonsending) () async throws(UVError) -> T
) async {
  do throws(UVError) {
    _ = try await body()
    Issue.record("did not fail; \(codes) expected", sourceLocation: sourceLocation)
  } catch {
    #expect(codes.contains(error.code), "\(error)", sourceLocation: sourceLocation)
  }
}

/// The code of the error that `body` throws, nil if it does not.
public func code<T>(of body: nonisolated(nonsending) () async throws(UVError) -> T) async -> UVError.Code? {
  do throws(UVError) {
    _ = try await body()
    return nil
  } catch {
    return error.code
  }
}
