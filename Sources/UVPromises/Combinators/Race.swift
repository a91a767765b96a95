import UV

/// The outcome of the promise that is resolved first, be it a value or an error. The others go on, and their
/// errors count as handled.
///
/// - Parameters:
///   - thenables: The contestants; with none the result is rejected with ``PMKError/badInput``.
///   - cancelsRest: Whether those of the losers are cancelled that nobody else waits for.
///   - file: Where this is called, for reports in debug builds.
///   - line: The line there.
@inlinable
public func race<U: Thenable>(
  _ thenables: [U], cancellingRest cancelsRest: Bool = false,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<U.T> {
  if thenables.isEmpty { return Promise(file: file, line: line, error: PMKError.badInput) }
  return Promise(node: first(of: thenables.map(\.node), U.T.self, cancelsRest, [], file, line))
}

/// The outcome of the promise that is resolved first, be it a value or an error. The others go on.
@inlinable
public func race<U: Thenable>(
  _ thenables: U..., cancellingRest cancelsRest: Bool = false,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<U.T> {
  race(thenables, cancellingRest: cancelsRest, file: file, line: line)
}

/// The value of the guarantee that is resolved first. The others go on.
///
/// - Parameters:
///   - guarantees: The contestants, one at least; none stop the program with a message, as no value could
///     come.
///   - cancelsRest: Whether the others are cancelled then; false unless said otherwise.
///   - file: Where this is called, for reports in debug builds.
///   - line: The line there.
@inlinable
public func race<T>(
  _ guarantees: Guarantee<T>..., cancellingRest cancelsRest: Bool = false,
  file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<T> {
  require(!guarantees.isEmpty, "race() of no guarantees can have no value")
  return Guarantee(node: first(of: guarantees.map(\.node), T.self, cancelsRest, .isGuarantee, file, line))
}

/// The value of the promise that is fulfilled first. The others go on.
///
/// - Parameters:
///   - thenables: The contestants; with none the result is rejected with ``PMKError/badInput``, and if all
///     fail, with ``PMKError/noWinner``.
///   - cancelsRest: Whether those of the losers are cancelled that nobody else waits for.
///   - file: Where this is called, for reports in debug builds.
///   - line: The line there.
@inlinable
public func race<U: Thenable>(
  fulfilled thenables: [U], cancellingRest cancelsRest: Bool = false,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<U.T> {
  if thenables.isEmpty { return Promise(file: file, line: line, error: PMKError.badInput) }
  let gatherer = Gatherer(.firstFulfilled, of: thenables.count, cancelsRest: cancelsRest)
  for thenable in thenables { gatherer.add(thenable.node) }
  return Promise(
    node: GatherNode(gatherer, file, line) { node, _ in
      GatherNode.finish(node) { _, winner in
        guard let winner else { throw PMKError.noWinner }
        return winner.value(as: U.T.self)
      }
    })
}

@inlinable
func first<T>(
  of nodes: [Node], _ type: T.Type, _ cancelsRest: Bool, _ flags: Node.Flags, _ file: StaticString,
  _ line: UInt
) -> Node {
  let gatherer = Gatherer(.first, of: nodes.count, cancelsRest: cancelsRest)
  for node in nodes { gatherer.add(node) }
  return GatherNode(gatherer, file, line, flags: flags) { node, _ in
    GatherNode.finish(node) { _, winner in winner!.value(as: T.self) }
  }
}
