extension Guarantee where T: Sequence {
  /// Calls `transform` with each element; the result is a guarantee of what it returns for them, in order.
  @inlinable
  public func mapValues<U>(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (T.Element) -> U
  ) -> Guarantee<[U]> {
    map(on: dispatcher, file: file, line: line) { $0.map(transform) }
  }

  /// Calls `transform` with each element; the result is a guarantee of all elements of what it returns, in
  /// order.
  @inlinable
  public func flatMapValues<U: Sequence>(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (T.Element) -> U
  ) -> Guarantee<[U.Element]> {
    map(on: dispatcher, file: file, line: line) { $0.flatMap(transform) }
  }

  /// Calls `transform` with each element; the result is a guarantee of what it returns other than nil, in
  /// order.
  @inlinable
  public func compactMapValues<U>(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (T.Element) -> U?
  ) -> Guarantee<[U]> {
    map(on: dispatcher, file: file, line: line) { $0.compactMap(transform) }
  }

  /// Calls `transform` with each element and waits for all guarantees that it returns, which run at the same
  /// time; the result is a guarantee of their values, in order.
  @inlinable
  public func thenMap<U>(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (T.Element) -> Guarantee<U>
  ) -> Guarantee<[U]> {
    then(on: dispatcher, file: file, line: line) { when(guarantees: $0.map(transform)) as Guarantee<[U]> }
  }

  /// Calls `transform` with each element and waits for all guarantees that it returns, which run at the same
  /// time; the result is a guarantee of all elements of their values, in order.
  @inlinable
  public func thenFlatMap<U>(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (T.Element) -> Guarantee<U>
  ) -> Guarantee<[U.Element]> where U: Sequence {
    then(on: dispatcher, file: file, line: line) { values in
      (when(guarantees: values.map(transform)) as Guarantee<[U]>).map(on: .inline) { $0.flatMap { $0 } }
    }
  }

  /// Calls `isIncluded` with each element; the result is a guarantee of those for which it returns true.
  @inlinable
  public func filterValues(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ isIncluded: @escaping (T.Element) -> Bool
  ) -> Guarantee<[T.Element]> {
    map(on: dispatcher, file: file, line: line) { $0.filter(isIncluded) }
  }

}

extension Guarantee where T: Sequence {
  /// A guarantee of the elements in the order of `areInIncreasingOrder`.
  ///
  /// - Parameters:
  ///   - dispatcher: When to sort; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - areInIncreasingOrder: Whether the first is to come before the second.
  @inlinable
  public func sortedValues(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ areInIncreasingOrder: @escaping (T.Element, T.Element) -> Bool
  ) -> Guarantee<[T.Element]> {
    map(on: dispatcher, file: file, line: line) { $0.sorted(by: areInIncreasingOrder) }
  }
}

extension Guarantee where T: Sequence, T.Element: Comparable {
  /// A guarantee of the elements in ascending order.
  @inlinable
  public func sortedValues(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line
  ) -> Guarantee<[T.Element]> {
    map(on: dispatcher, file: file, line: line) { $0.sorted() }
  }
}
