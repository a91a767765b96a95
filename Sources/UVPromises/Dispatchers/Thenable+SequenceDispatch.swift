extension Thenable where T: Sequence & Sendable {
  /// Calls `transform` elsewhere with each element; see ``mapValues(on:file:line:_:)``.
  @_disfavoredOverload
  public func mapValues<U: Sendable>(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (T.Element) throws -> U
  ) -> Promise<[U]> {
    map(on: dispatcher, file: file, line: line) { try $0.map(transform) }
  }

  /// Calls `transform` elsewhere with each element; see ``flatMapValues(on:file:line:_:)``.
  @_disfavoredOverload
  public func flatMapValues<U: Sequence & SendableMetatype>(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (T.Element) throws -> U
  ) -> Promise<[U.Element]> where U.Element: Sendable {
    map(on: dispatcher, file: file, line: line) { try $0.flatMap(transform) }
  }

  /// Calls `transform` elsewhere with each element; see ``compactMapValues(on:file:line:_:)``.
  @_disfavoredOverload
  public func compactMapValues<U: Sendable>(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (T.Element) throws -> U?
  ) -> Promise<[U]> {
    map(on: dispatcher, file: file, line: line) { try $0.compactMap(transform) }
  }

  /// Calls `transform` elsewhere with each element, and waits for all promises that it returns; see
  /// ``thenMap(on:file:line:_:)``.
  @_disfavoredOverload
  public func thenMap<U: Thenable & SendableMetatype>(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (T.Element) throws -> sending U
  ) -> Promise<[U.T]> {
    then(on: dispatcher, file: file, line: line) { when(fulfilled: try $0.map(transform)) as Promise<[U.T]> }
  }

  /// Calls `transform` elsewhere with each element, and waits for all promises that it returns; see
  /// ``thenFlatMap(on:file:line:_:)``.
  @_disfavoredOverload
  public func thenFlatMap<U: Thenable & SendableMetatype>(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (T.Element) throws -> sending U
  ) -> Promise<[U.T.Element]> where U.T: Sequence {
    thenMap(on: dispatcher, file: file, line: line, transform)
      .map(on: .inline, file: file, line: line) { $0.flatMap { $0 } }
  }
}

extension Thenable where T: Sequence & Sendable, T.Element: Sendable {
  /// Calls `isIncluded` elsewhere with each element; see ``filterValues(on:file:line:_:)``.
  @_disfavoredOverload
  public func filterValues(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ isIncluded: @escaping @Sendable (T.Element) throws -> Bool
  ) -> Promise<[T.Element]> {
    map(on: dispatcher, file: file, line: line) { try $0.filter(isIncluded) }
  }
}

extension Thenable where T: Sequence & Sendable, T.Element: Comparable & Sendable {
  /// Sorts the elements elsewhere; see ``sortedValues(on:file:line:)``.
  @_disfavoredOverload
  public func sortedValues(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<[T.Element]> {
    map(on: dispatcher, file: file, line: line) { $0.sorted() }
  }
}

extension Thenable where T: Collection & Sendable, T.Element: Sendable {
  /// Looks elsewhere for the first element for which `test` returns true; see
  /// ``firstValue(on:file:line:where:)``.
  @_disfavoredOverload
  public func firstValue(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    where test: @escaping @Sendable (T.Element) throws -> Bool
  ) -> Promise<T.Element> {
    map(on: dispatcher, file: file, line: line) { values in
      guard let first = try values.first(where: test) else { throw PMKError.emptySequence }
      return first
    }
  }
}
