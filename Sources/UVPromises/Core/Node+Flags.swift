extension Node {
  /// The facts about a node that the reset of its flags leaves, and those of a step.
  @usableFromInline
  struct Form: OptionSet {
    @usableFromInline var rawValue: UInt8
    @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Has a handler in the room for its outcome.
    @inlinable static var holdsHandler: Form { Form(rawValue: 1) }
    /// Its handler is running, by the microtask of the promise before it.
    @inlinable static var isRunning: Form { Form(rawValue: 2) }
    /// Is a ``ChainNode``.
    @inlinable static var isOfChain: Form { Form(rawValue: 4) }
  }

  /// The other facts about a node.
  @usableFromInline
  struct Flags: OptionSet {
    @usableFromInline var rawValue: UInt16
    @inlinable init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Somebody has asked for the outcome, so a rejection is not unhandled.
    @inlinable static var isHandled: Flags { Flags(rawValue: 1) }
    /// Takes its outcome from the promise that its handler returned.
    @inlinable static var isAdopter: Flags { Flags(rawValue: 2) }
    /// Its handler runs on the stack that resolves the promise before it.
    @inlinable static var isInline: Flags { Flags(rawValue: 4) }
    /// Was made to be resolved by hand, so its loss while pending is worth a report.
    @inlinable static var isRoot: Flags { Flags(rawValue: 8) }
    /// Belongs to a guarantee, which cannot be rejected.
    @inlinable static var isGuarantee: Flags { Flags(rawValue: 16) }
    /// Is in the queue of the loop.
    @inlinable static var isQueued: Flags { Flags(rawValue: 32) }
    /// Was rejected where there was no loop to look at the end of the turn whether anybody minds.
    @inlinable static var isUntracked: Flags { Flags(rawValue: 64) }
    /// A promise that it waited for went away unresolved.
    @inlinable static var isAbandoned: Flags { Flags(rawValue: 128) }
    /// Its handler is for cancellations too.
    @inlinable static var coversCancellation: Flags { Flags(rawValue: 256) }
    /// Waits for several promises, through a gatherer, or for one and a time limit.
    @inlinable static var isGathering: Flags { Flags(rawValue: 512) }
    /// Has, beside the first, continuations that are notified at once.
    @inlinable static var hasDirectContinuations: Flags { Flags(rawValue: 1024) }
    /// Was to be cancelled, by its context.
    @inlinable static var cancelAttempted: Flags { Flags(rawValue: 2048) }
    /// Has, in place of continuations, an observer in the room for its outcome.
    @inlinable static var isObserved: Flags { Flags(rawValue: 4096) }
    /// Its operation was cancelled, so that nobody need hear of its loss; it may be resolved all the same.
    @inlinable static var isCancelled: Flags { Flags(rawValue: 8192) }
    /// Goes on with a value after an error that its handler is for.
    @inlinable static var recovers: Flags { Flags(rawValue: 16384) }
    /// Has nothing to do after a value: a `catch`.
    @inlinable static var isForErrors: Flags { Flags(rawValue: 32768) }
  }
}
