import UV
import UVTestSupport

/// One row of the contract's table for readers: a read, and what happens to it.
struct ReadCombination: Hashable, CustomStringConvertible {
  /// What is asked for.
  enum Ask: String, CaseIterable {
    case chunk, exactly, peek, line, crlfLine, until, toEnd
  }

  /// What there is before the read.
  enum State: String, CaseIterable {
    case nothing
    /// The peer has sent the first half of the message.
    case part
    /// The program has looked at the first half, and left it.
    case peeked
  }

  /// What happens.
  enum Event: String, CaseIterable {
    /// The other half comes.
    case rest
    case cancel, taskCancelled, timeout
    case readTimeout, idleTimeout, totalTimeout
    case close, peerEnds, peerResets, loopShutsDown
  }

  let transport: Combination.Transport
  let ask: Ask
  let state: State
  let caller: Combination.Caller
  let event: Event

  var description: String { "\(transport) × \(ask) × \(state) × \(caller) × \(event)" }

  static let all: [ReadCombination] = Combination.Transport.allCases.flatMap { transport in
    Ask.allCases.flatMap { ask in
      State.allCases.flatMap { state in
        Combination.Caller.allCases.flatMap { caller in
          Event.allCases.map { event in
            ReadCombination(transport: transport, ask: ask, state: state, caller: caller, event: event)
          }
        }
      }
    }
  }

  /// Why the combination makes no sense; nil if it does.
  var nonsense: String? {
    if ask == .chunk, state != .nothing { return "a read of whatever there is has its answer at once" }
    return switch (caller, event) {
    case (.task, .cancel): "a task has no pending request to cancel; its own cancellation is another row"
    case (.callback, .taskCancelled): "there is no task"
    default: nil
    }
  }

  /// Whether the read is given up, and the stream goes on.
  var givesUp: Bool {
    [.cancel, .taskCancelled, .timeout, .readTimeout, .idleTimeout, .totalTimeout].contains(event)
  }

  /// How the read may end: nil stands for success.
  var outcomes: [UVError.Code?] {
    switch event {
    case .rest: [nil]
    case .cancel, .taskCancelled, .close, .loopShutsDown: [.cancelled]
    case .timeout, .readTimeout, .idleTimeout, .totalTimeout: [.timedOut]
    case .peerEnds: [state == .nothing || ask == .toEnd ? nil : .endOfFile]
    // Sockets of the Unix domain know no reset: they end, and TLS misses its sign of the end.
    case .peerResets where transport == .pipe: [state == .nothing || ask == .toEnd ? nil : .endOfFile]
    case .peerResets where transport == .tlsOnPipe: [.tlsTruncated, .connectionReset]
    case .peerResets: [.connectionReset]
    }
  }
}
