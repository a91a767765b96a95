/// Begins a chain: `firstly { login() }.then { … }` is `login().then { … }`.
///
/// - Parameters:
///   - body: Called once, before this returns. If it throws, the promise is rejected with the error.
///   - file: Where this is called, for reports in debug builds.
///   - line: The line there.
@inlinable
public func firstly<U: Chainable>(
  file: StaticString = #fileID, line: UInt = #line, execute body: () throws -> U
) -> Promise<U.T> {
  do { return Promise(try body()) } catch { return Promise(file: file, line: line, error: error) }
}

/// Begins a chain with a guarantee.
///
/// - Parameter body: Called once, before this returns.
@inlinable
public func firstly<T>(execute body: () -> Guarantee<T>) -> Guarantee<T> { body() }
