extension Thenable where T: Sequence {
  /// Calls `transform` with each element; the result is a promise of what it returns for them, in order.
  ///
  /// If it throws, here and in the methods below, the result is rejected with the error.
  @_disfavoredOverload
  @inlinable
  public func mapValues<U>(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (T.Element) throws -> U
  ) -> Promise<[U]> {
    map(on: dispatcher, file: file, line: line) { try $0.map(transform) }
  }

  /// Calls `transform` with each element; the result is a promise of all elements of what it returns, in
  /// order.
  @_disfavoredOverload
  @inlinable
  public func flatMapValues<U: Sequence>(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (T.Element) throws -> U
  ) -> Promise<[U.Element]> {
    map(on: dispatcher, file: file, line: line) { try $0.flatMap(transform) }
  }

  /// Calls `transform` with each element; the result is a promise of what it returns other than nil, in
  /// order.
  @_disfavoredOverload
  @inlinable
  public func compactMapValues<U>(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (T.Element) throws -> U?
  ) -> Promise<[U]> {
    map(on: dispatcher, file: file, line: line) { try $0.compactMap(transform) }
  }

  /// Calls `transform` with each element and waits for all promises that it returns, which run at the same
  /// time; the result is a promise of their values, in order.
  @_disfavoredOverload
  @inlinable
  public func thenMap<U: Chainable>(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (T.Element) throws -> U
  ) -> Promise<[U.T]> {
    then(on: dispatcher, file: file, line: line) { when(fulfilled: try $0.map(transform)) as Promise<[U.T]> }
  }

  /// Calls `transform` with each element and waits for all promises that it returns, which run at the same
  /// time; the result is a promise of all elements of their values, in order.
  @_disfavoredOverload
  @inlinable
  public func thenFlatMap<U: Chainable>(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (T.Element) throws -> U
  ) -> Promise<[U.T.Element]> where U.T: Sequence {
    then(on: dispatcher, file: file, line: line) { values in
      (when(fulfilled: try values.map(transform)) as Promise<[U.T]>).map(on: .inline) { $0.flatMap { $0 } }
    }
  }

  /// Calls `isIncluded` with each element; the result is a promise of those for which it returns true.
  @_disfavoredOverload
  @inlinable
  public func filterValues(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ isIncluded: @escaping (T.Element) throws -> Bool
  ) -> Promise<[T.Element]> {
    map(on: dispatcher, file: file, line: line) { try $0.filter(isIncluded) }
  }

}

extension Thenable where T: Collection {
  /// A promise of the first element, rejected with ``PMKError/emptySequence`` if there is none.
  @inlinable
  public var firstValue: Promise<T.Element> {
    map(on: .inline) { values in
      guard let first = values.first else { throw PMKError.emptySequence }
      return first
    }
  }

  /// A promise of the first element for which `test` returns true, rejected with ``PMKError/emptySequence``
  /// if there is none.
  @inlinable
  public func firstValue(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    where test: @escaping (T.Element) throws -> Bool
  ) -> Promise<T.Element> {
    map(on: dispatcher, file: file, line: line) { values in
      guard let first = try values.first(where: test) else { throw PMKError.emptySequence }
      return first
    }
  }

  /// A promise of the last element, rejected with ``PMKError/emptySequence`` if there is none. Takes as long
  /// as it takes to get there: a constant time where the collection can be read from its end.
  @inlinable
  public var lastValue: Promise<T.Element> {
    map(on: .inline) { values in
      guard !values.isEmpty else { throw PMKError.emptySequence }
      return values[values.index(values.startIndex, offsetBy: values.count - 1)]
    }
  }
}

extension Thenable where T: Sequence, T.Element: Comparable {
  /// A promise of the elements in ascending order.
  @_disfavoredOverload
  @inlinable
  public func sortedValues(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<[T.Element]> {
    map(on: dispatcher, file: file, line: line) { $0.sorted() }
  }
}
