import UV

/// An object that a promise notifies of its end: a step of a chain, a `when` that gathers, a task that
/// waits.
///
/// A pending promise owns its continuations; they point back without owning, so that a promise that nobody
/// can resolve any more goes away and can be reported.
@usableFromInline
class Continuation: _Microtask {
  @inlinable override init() { super.init() }

  /// The promise that was waited for has settled. `tag` is what it was attached with.
  @usableFromInline func receive(_ source: Node, tag: Int32) {}

  /// The promise that was waited for has gone away without settling. A promise that waits for this one, and
  /// has become hopeless too, is moved to `rest`, so that a long chain ends by a loop and not by recursion.
  @usableFromInline func abandon(tag: Int32, rest: inout ContiguousArray<ContinuationEntry>) {}

  /// Waits for `source` from now on, in place of a promise that took its outcome from there.
  @usableFromInline func moved(to source: Node, tag: Int32) {}
}

/// A place in a promise's list of handlers.
@usableFromInline
struct ContinuationEntry {
  @usableFromInline var continuation: Continuation
  @usableFromInline var tag: Int32

  @inlinable
  init(continuation: Continuation, tag: Int32) {
    self.continuation = continuation
    self.tag = tag
  }

  /// Says to `node`, whose outcome others were to make, and everything that waits for it that none will come.
  static func abandon(_ node: Node) { abandon([ContinuationEntry(continuation: node, tag: node.tag)]) }

  /// Says to `entries` and everything that waits for them that no outcome will come.
  static func abandon(_ entries: consuming ContiguousArray<ContinuationEntry>) {
    while let entry = entries.popLast() {
      entry.continuation.abandon(tag: entry.tag, rest: &entries)
    }
  }
}
