/// Waits for all promises of an array, which run at the same time, and gathers their values in the order of
/// the array.
///
/// If one fails, the result is rejected with its error at once; the others go on all the same, and their
/// errors count as handled. An empty array is fulfilled with an empty one.
///
/// - Parameters:
///   - thenables: What to wait for.
///   - cancelsRest: Whether a failure cancels those of the others that nobody else waits for.
///   - file: Where this is called, for reports in debug builds.
///   - line: The line there.
/// - Returns: A promise of the values. It takes three allocations, whatever the number.
@inlinable
public func when<U: Chainable>(
  fulfilled thenables: [U], cancellingRest cancelsRest: Bool = false,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<[U.T]> {
  let gatherer = Gatherer(.allFulfilled, of: thenables.count, cancelsRest: cancelsRest)
  for thenable in thenables { gatherer.add(thenable.node) }
  return Promise(
    node: GatherNode(gatherer, file, line) { node, _ in
      GatherNode.finish(node) { node, _ in
        (0..<node.gatherer.count).map { node.value($0, of: U.T.self) }
      }
    })
}

/// Waits for all promises of an array; see
/// ``when(fulfilled:cancellingRest:file:line:)-([U],_,_,_)->Promise<[U.T]>``.
@inlinable
public func when<U: Chainable>(
  fulfilled thenables: [U], cancellingRest cancelsRest: Bool = false,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<Void> where U.T == Void {
  let gatherer = Gatherer(.allFulfilled, of: thenables.count, cancelsRest: cancelsRest)
  for thenable in thenables { gatherer.add(thenable.node) }
  return Promise(
    node: GatherNode(gatherer, file, line) { node, _ in
      GatherNode.finish(node) { _, _ in () }
    })
}

/// Waits for all promises; rejected with the first error, while the others go on.
@inlinable
public func when<U: Chainable>(
  fulfilled thenables: U..., cancellingRest cancelsRest: Bool = false,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<Void> where U.T == Void {
  // With the parameters of the form for tuples, which the compiler would take for as good.
  when(fulfilled: thenables, cancellingRest: cancelsRest, file: file, line: line)
}

/// Waits for all promises of an array, whatever their types, and gathers their values in the order of the
/// array.
public func when(
  fulfilled thenables: [any Thenable], cancellingRest cancelsRest: Bool = false,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<[Any]> {
  func untyped<U: Thenable>(_ thenable: U) -> Promise<Any> {
    Promise(thenable).map(on: .inline, file: file, line: line) { $0 as Any }
  }
  let promises: [Promise<Any>] = thenables.map { untyped($0) }
  return when(fulfilled: promises, cancellingRest: cancelsRest, file: file, line: line)
}

/// Waits for two promises, which run at the same time, and gathers their values in a tuple; rejected with the
/// first error, while the others go on.
@inlinable
@_disfavoredOverload
public func when<U: Thenable, V: Thenable>(
  fulfilled pu: U, _ pv: V,
  cancellingRest cancelsRest: Bool = false, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(U.T, V.T)> {
  let gatherer = Gatherer(.allFulfilled, of: 2, cancelsRest: cancelsRest)
  gatherer.add(pu.node)
  gatherer.add(pv.node)
  return Promise(
    node: GatherNode(gatherer, file, line) { node, _ in
      GatherNode.finish(node) { node, _ in
        (
          node.value(0, of: U.T.self),
          node.value(1, of: V.T.self)
        )
      }
    })
}

/// Waits for three promises, which run at the same time, and gathers their values in a tuple; rejected with
/// the first error, while the others go on.
@inlinable
@_disfavoredOverload
public func when<U: Thenable, V: Thenable, W: Thenable>(
  fulfilled pu: U, _ pv: V, _ pw: W,
  cancellingRest cancelsRest: Bool = false, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(U.T, V.T, W.T)> {
  let gatherer = Gatherer(.allFulfilled, of: 3, cancelsRest: cancelsRest)
  gatherer.add(pu.node)
  gatherer.add(pv.node)
  gatherer.add(pw.node)
  return Promise(
    node: GatherNode(gatherer, file, line) { node, _ in
      GatherNode.finish(node) { node, _ in
        (
          node.value(0, of: U.T.self),
          node.value(1, of: V.T.self),
          node.value(2, of: W.T.self)
        )
      }
    })
}

/// Waits for four promises, which run at the same time, and gathers their values in a tuple; rejected with
/// the first error, while the others go on.
@inlinable
@_disfavoredOverload
public func when<U: Thenable, V: Thenable, W: Thenable, X: Thenable>(
  fulfilled pu: U, _ pv: V, _ pw: W, _ px: X,
  cancellingRest cancelsRest: Bool = false, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(U.T, V.T, W.T, X.T)> {
  let gatherer = Gatherer(.allFulfilled, of: 4, cancelsRest: cancelsRest)
  gatherer.add(pu.node)
  gatherer.add(pv.node)
  gatherer.add(pw.node)
  gatherer.add(px.node)
  return Promise(
    node: GatherNode(gatherer, file, line) { node, _ in
      GatherNode.finish(node) { node, _ in
        (
          node.value(0, of: U.T.self),
          node.value(1, of: V.T.self),
          node.value(2, of: W.T.self),
          node.value(3, of: X.T.self)
        )
      }
    })
}

/// Waits for five promises, which run at the same time, and gathers their values in a tuple; rejected with
/// the first error, while the others go on.
@inlinable
@_disfavoredOverload
public func when<U: Thenable, V: Thenable, W: Thenable, X: Thenable, Y: Thenable>(
  fulfilled pu: U, _ pv: V, _ pw: W, _ px: X, _ py: Y,
  cancellingRest cancelsRest: Bool = false, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(U.T, V.T, W.T, X.T, Y.T)> {
  let gatherer = Gatherer(.allFulfilled, of: 5, cancelsRest: cancelsRest)
  gatherer.add(pu.node)
  gatherer.add(pv.node)
  gatherer.add(pw.node)
  gatherer.add(px.node)
  gatherer.add(py.node)
  return Promise(
    node: GatherNode(gatherer, file, line) { node, _ in
      GatherNode.finish(node) { node, _ in
        (
          node.value(0, of: U.T.self),
          node.value(1, of: V.T.self),
          node.value(2, of: W.T.self),
          node.value(3, of: X.T.self),
          node.value(4, of: Y.T.self)
        )
      }
    })
}

/// Waits for all promises of an array, whether they succeed or fail, and gathers their outcomes in the order
/// of the array. An empty array gives an empty one.
@inlinable
public func when<U: Thenable>(
  resolved thenables: [U], file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<[PMKResult<U.T>]> {
  let gatherer = Gatherer(.allSettled, of: thenables.count)
  for thenable in thenables { gatherer.add(thenable.node) }
  return Guarantee(
    node: GatherNode(gatherer, file, line, flags: .isGuarantee) { node, _ in
      GatherNode.finish(node) { node, _ in
        (0..<node.gatherer.count).map { node.outcome($0, of: U.T.self) }
      }
    })
}

/// Waits for all promises, whether they succeed or fail.
@inlinable
public func when<U: Thenable>(
  resolved thenables: U..., file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<[PMKResult<U.T>]> {
  when(resolved: thenables, file: file, line: line)
}
