extension Guarantee where T: Sequence & Sendable {
  /// Calls `transform` elsewhere with each element; see ``mapValues(on:file:line:_:)``.
  public func mapValues<U: Sendable>(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (T.Element) -> U
  ) -> Guarantee<[U]> {
    map(on: dispatcher, file: file, line: line) { $0.map(transform) }
  }

  /// Calls `transform` elsewhere with each element; see ``flatMapValues(on:file:line:_:)``.
  public func flatMapValues<U: Sequence & SendableMetatype>(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (T.Element) -> U
  ) -> Guarantee<[U.Element]> where U.Element: Sendable {
    map(on: dispatcher, file: file, line: line) { $0.flatMap(transform) }
  }

  /// Calls `transform` elsewhere with each element; see ``compactMapValues(on:file:line:_:)``.
  public func compactMapValues<U: Sendable>(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (T.Element) -> U?
  ) -> Guarantee<[U]> {
    map(on: dispatcher, file: file, line: line) { $0.compactMap(transform) }
  }

  /// Calls `transform` elsewhere with each element, and waits for all guarantees that it returns; see
  /// ``thenMap(on:file:line:_:)``.
  public func thenMap<U: SendableMetatype>(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (T.Element) -> sending Guarantee<U>
  ) -> Guarantee<[U]> {
    then(on: dispatcher, file: file, line: line) { when(guarantees: $0.map(transform)) as Guarantee<[U]> }
  }

  /// Calls `transform` elsewhere with each element, and waits for all guarantees that it returns; see
  /// ``thenFlatMap(on:file:line:_:)``.
  public func thenFlatMap<U: Sequence & SendableMetatype>(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (T.Element) -> sending Guarantee<U>
  ) -> Guarantee<[U.Element]> {
    thenMap(on: dispatcher, file: file, line: line, transform)
      .map(on: .inline, file: file, line: line) { $0.flatMap { $0 } }
  }
}

extension Guarantee where T: Sequence & Sendable, T.Element: Sendable {
  /// Calls `isIncluded` elsewhere with each element; see ``filterValues(on:file:line:_:)``.
  public func filterValues(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ isIncluded: @escaping @Sendable (T.Element) -> Bool
  ) -> Guarantee<[T.Element]> {
    map(on: dispatcher, file: file, line: line) { $0.filter(isIncluded) }
  }

  /// Sorts the elements elsewhere; see ``sortedValues(on:file:line:_:)``.
  public func sortedValues(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ areInIncreasingOrder: @escaping @Sendable (T.Element, T.Element) -> Bool
  ) -> Guarantee<[T.Element]> {
    map(on: dispatcher, file: file, line: line) { $0.sorted(by: areInIncreasingOrder) }
  }
}

extension Guarantee where T: Sequence & Sendable, T.Element: Comparable & Sendable {
  /// Sorts the elements elsewhere; see ``sortedValues(on:file:line:)``.
  public func sortedValues(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line
  ) -> Guarantee<[T.Element]> {
    map(on: dispatcher, file: file, line: line) { $0.sorted() }
  }
}
