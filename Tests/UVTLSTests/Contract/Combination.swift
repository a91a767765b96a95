import UVTestSupport

/// One row of the contract's table: a write, and what happens to it.
struct Combination: Hashable, CustomStringConvertible {
  /// What carries the bytes.
  enum Transport: String, CaseIterable {
    case tcp, pipe, tlsOnTCP, tlsOnPipe
    /// TLS begins on a connection from which the first bytes of the handshake have been read already.
    case startTLS
    /// A loop that a host runs, without and with TLS.
    case hostTCP, hostTLS

    var isHosted: Bool { self == .hostTCP || self == .hostTLS }
    var isPipe: Bool { self == .pipe || self == .tlsOnPipe }
    var isTLS: Bool { speech != .plain }
    var speech: Peer.Speech {
      switch self {
      case .tcp, .pipe, .hostTCP: .plain
      case .tlsOnTCP, .tlsOnPipe, .hostTLS: .tls
      case .startTLS: .startTLS
      }
    }
  }

  /// What is written.
  enum Payload: String, CaseIterable {
    case oneBuffer, severalBuffers
    /// Several buffers, of which the first, the last and some between are empty.
    case emptyBuffersToo
    case file
  }

  /// How far the write has come when something happens.
  enum State: String, CaseIterable {
    /// None of its bytes has left, and nothing holds them up.
    case notBegun
    /// The system has taken a part, and has no room for the rest.
    case begun
    /// libuv has all of it, but the system none: other bytes come first.
    case inFlight
    /// It waits behind another write, for which the system has no room.
    case blocked
  }

  /// The side that writes.
  enum Caller: String, CaseIterable { case callback, task }

  /// What happens.
  enum Event: String, CaseIterable {
    case cancel, timeout, taskCancelled, close, shutdown, peerResets, peerHalfCloses, loopShutsDown
    /// The stream's own timeouts. While a write waits, all but that of a reader end the stream.
    case readTimeout, writeTimeout, idleTimeout, totalTimeout
    /// The program lets go of the stream: at once, or after it has asked for a shutdown.
    case letGo, shutdownAndLetGo
  }

  let transport: Transport
  let payload: Payload
  let state: State
  let caller: Caller
  let event: Event

  var description: String { "\(transport) × \(payload) × \(state) × \(caller) × \(event)" }

  /// All of them, whether they make sense or not.
  static let all: [Combination] = Transport.allCases.flatMap { transport in
    Payload.allCases.flatMap { payload in
      State.allCases.flatMap { state in
        Caller.allCases.flatMap { caller in
          Event.allCases.map { event in
            Combination(transport: transport, payload: payload, state: state, caller: caller, event: event)
          }
        }
      }
    }
  }

  /// Why the combination makes no sense; nil if it does.
  var nonsense: String? {
    switch (caller, event) {
    case (.task, .cancel): "a task has no pending request to cancel; its own cancellation is another row"
    case (.callback, .taskCancelled): "there is no task"
    default: nil
    }
  }

  /// Whether the write is refused at once, because a file's bytes don't wait behind others.
  var isRefused: Bool { payload == .file && (state == .inFlight || state == .blocked) }

  /// Whether the event is to come after the write has ended.
  var isTooLate: Bool { state == .notBegun && (event == .timeout || endsByTimeout) }

  /// How long a timeout is. One that is too late is long: a file's bytes come from the thread pool, which a busy machine
  /// can hold up.
  var time: Duration { isTooLate ? .seconds(60) : .milliseconds(20) }

  /// Whether the event is a timeout of the stream's that takes it down with a write that waits.
  var endsByTimeout: Bool { [.writeTimeout, .idleTimeout, .totalTimeout].contains(event) }

  /// Whether the program keeps no reference to the stream.
  var letsGo: Bool { event == .letGo || event == .shutdownAndLetGo }

  /// Whether the goodbye that TLS says by itself may find no room, because the peer reads late.
  var mayEndWithoutGoodbye: Bool { event == .letGo && transport.isTLS && state != .notBegun }

  /// Whether the event is the last that the program does with the stream.
  var isLast: Bool { event == .shutdown || letsGo }

  /// Whether the program gives the write up, and the stream goes on.
  var givesUp: Bool { event == .cancel || event == .timeout || event == .taskCancelled }

  /// Whether the event ends the stream.
  var endsStream: Bool {
    !isTooLate && (endsByTimeout || [.close, .peerResets, .loopShutsDown].contains(event))
  }

  /// Whether the stream closes by the program's will, and offers the system what waits before it does. A loop
  /// that shuts down first cancels its tasks, and so their writes.
  var leavesAtClose: Bool { event == .close || event == .loopShutsDown && caller == .callback }
}
