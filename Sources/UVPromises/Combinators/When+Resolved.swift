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
