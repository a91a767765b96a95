/// Waits for all guarantees of an array, and gathers their values in the order of the array.
@inlinable
public func when<T>(
  guarantees: [Guarantee<T>], file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<[T]> {
  let gatherer = Gatherer(.allFulfilled, of: guarantees.count)
  for guarantee in guarantees { gatherer.add(guarantee.node) }
  return Guarantee(
    node: GatherNode(gatherer, file, line, flags: .isGuarantee) { node, _ in
      GatherNode.finish(node) { node, _ in
        (0..<node.gatherer.count).map { node.value($0, of: T.self) }
      }
    })
}

/// Waits for all guarantees.
@inlinable
public func when(
  guarantees: [Guarantee<Void>], file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<Void> {
  let gatherer = Gatherer(.allFulfilled, of: guarantees.count)
  for guarantee in guarantees { gatherer.add(guarantee.node) }
  return Guarantee(
    node: GatherNode(gatherer, file, line, flags: .isGuarantee) { node, _ in
      GatherNode.finish(node) { _, _ in () }
    })
}

/// Waits for all guarantees.
@inlinable
public func when(
  _ guarantees: Guarantee<Void>..., file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<Void> {
  when(guarantees: guarantees, file: file, line: line)
}

/// Waits for all guarantees, and gathers their values in an array, in their order. Where they differ in type, or
/// what follows takes several arguments, it is a tuple.
@inlinable
public func when<T>(
  _ guarantees: Guarantee<T>..., file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<[T]> {
  when(guarantees: guarantees, file: file, line: line)
}

/// Waits for two guarantees, and gathers their values in a tuple.
@inlinable
public func when<U, V>(
  guarantees gu: Guarantee<U>, _ gv: Guarantee<V>,
  file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<(U, V)> {
  let gatherer = Gatherer(.allFulfilled, of: 2)
  gatherer.add(gu.node)
  gatherer.add(gv.node)
  return Guarantee(
    node: GatherNode(gatherer, file, line, flags: .isGuarantee) { node, _ in
      GatherNode.finish(node) { node, _ in
        (
          node.value(0, of: U.self),
          node.value(1, of: V.self)
        )
      }
    })
}

/// Waits for three guarantees, and gathers their values in a tuple.
@inlinable
public func when<U, V, W>(
  guarantees gu: Guarantee<U>, _ gv: Guarantee<V>, _ gw: Guarantee<W>,
  file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<(U, V, W)> {
  let gatherer = Gatherer(.allFulfilled, of: 3)
  gatherer.add(gu.node)
  gatherer.add(gv.node)
  gatherer.add(gw.node)
  return Guarantee(
    node: GatherNode(gatherer, file, line, flags: .isGuarantee) { node, _ in
      GatherNode.finish(node) { node, _ in
        (
          node.value(0, of: U.self),
          node.value(1, of: V.self),
          node.value(2, of: W.self)
        )
      }
    })
}

/// Waits for four guarantees, and gathers their values in a tuple.
@inlinable
public func when<U, V, W, X>(
  guarantees gu: Guarantee<U>, _ gv: Guarantee<V>, _ gw: Guarantee<W>, _ gx: Guarantee<X>,
  file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<(U, V, W, X)> {
  let gatherer = Gatherer(.allFulfilled, of: 4)
  gatherer.add(gu.node)
  gatherer.add(gv.node)
  gatherer.add(gw.node)
  gatherer.add(gx.node)
  return Guarantee(
    node: GatherNode(gatherer, file, line, flags: .isGuarantee) { node, _ in
      GatherNode.finish(node) { node, _ in
        (
          node.value(0, of: U.self),
          node.value(1, of: V.self),
          node.value(2, of: W.self),
          node.value(3, of: X.self)
        )
      }
    })
}

/// Waits for five guarantees, and gathers their values in a tuple.
@inlinable
public func when<U, V, W, X, Y>(
  guarantees gu: Guarantee<U>, _ gv: Guarantee<V>, _ gw: Guarantee<W>,
  _ gx: Guarantee<X>, _ gy: Guarantee<Y>,
  file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<(U, V, W, X, Y)> {
  let gatherer = Gatherer(.allFulfilled, of: 5)
  gatherer.add(gu.node)
  gatherer.add(gv.node)
  gatherer.add(gw.node)
  gatherer.add(gx.node)
  gatherer.add(gy.node)
  return Guarantee(
    node: GatherNode(gatherer, file, line, flags: .isGuarantee) { node, _ in
      GatherNode.finish(node) { node, _ in
        (
          node.value(0, of: U.self),
          node.value(1, of: V.self),
          node.value(2, of: W.self),
          node.value(3, of: X.self),
          node.value(4, of: Y.self)
        )
      }
    })
}

/// Waits for two guarantees, and gathers their values in a tuple.
@_disfavoredOverload
@inlinable
public func when<U, V>(
  _ gu: Guarantee<U>, _ gv: Guarantee<V>,
  file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<(U, V)> {
  when(guarantees: gu, gv, file: file, line: line)
}

/// Waits for three guarantees, and gathers their values in a tuple.
@_disfavoredOverload
@inlinable
public func when<U, V, W>(
  _ gu: Guarantee<U>, _ gv: Guarantee<V>,
  _ gw: Guarantee<W>,
  file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<(U, V, W)> {
  when(guarantees: gu, gv, gw, file: file, line: line)
}

/// Waits for four guarantees, and gathers their values in a tuple.
@_disfavoredOverload
@inlinable
public func when<U, V, W, X>(
  _ gu: Guarantee<U>, _ gv: Guarantee<V>,
  _ gw: Guarantee<W>, _ gx: Guarantee<X>,
  file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<(U, V, W, X)> {
  when(guarantees: gu, gv, gw, gx, file: file, line: line)
}

/// Waits for five guarantees, and gathers their values in a tuple.
@_disfavoredOverload
@inlinable
public func when<U, V, W, X, Y>(
  _ gu: Guarantee<U>, _ gv: Guarantee<V>,
  _ gw: Guarantee<W>, _ gx: Guarantee<X>, _ gy: Guarantee<Y>,
  file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<(U, V, W, X, Y)> {
  when(guarantees: gu, gv, gw, gx, gy, file: file, line: line)
}
