public import Testing
public import UV

/// Evaluates `expression`, which is to fail with one of `codes`.
public func expectError<T>(
  _ codes: UVError.Code..., of expression: nonisolated(nonsending) @autoclosure () async throws(UVError) -> T,
  sourceLocation: SourceLocation = #_sourceLocation
) async {
  await expectFailure(codes, sourceLocation, expression)
}

/// Runs `body`, which is to fail with one of `codes`.
public func expectFailure<T>(
  _ codes: UVError.Code..., sourceLocation: SourceLocation = #_sourceLocation,
  _ body: nonisolated(nonsending) () async throws(UVError) -> T
) async {
  await expectFailure(codes, sourceLocation, body)
}

private func expectFailure<T>(
  _ codes: [UVError.Code], _ sourceLocation: SourceLocation,
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
