#if NIO || NIOBootstraps || Everything
extension SocketChannel {
  /// The life of a channel: `fresh`, then `registered` on its loop, `active` once it listens or is connected,
  /// and `closed`. `activating` is the time in which the promise of the activation is completed.
  enum State {
    case fresh, registered, activating, active, closed

    func mayBecome(_ next: State) -> Bool {
      switch (self, next) {
      case (.fresh, .registered), (.registered, .activating), (.activating, .active): true
      case (.fresh, .closed), (.registered, .closed), (.activating, .closed), (.active, .closed): true
      case (.fresh, _), (.registered, _), (.activating, _), (.active, _), (.closed, _): false
      }
    }
  }

  /// Whether the system watches the descriptor.
  enum Polling {
    /// There is no poll yet.
    case none
    /// A poll watches for what the channel wants, and for the loss of the connection.
    case whole
    /// A poll watches for what the channel wants. The peer has sent urgent data, and the system would report
    /// a loss again and again.
    case withoutLoss
    /// The poll has ended. Another may have the descriptor's number.
    case ended

    func mayBecome(_ next: Polling) -> Bool {
      switch (self, next) {
      case (.none, .whole), (.whole, .withoutLoss): true
      case (.none, .ended), (.whole, .ended), (.withoutLoss, .ended): true
      case (.none, _), (.whole, _), (.withoutLoss, _), (.ended, _): false
      }
    }
  }

  /// Whether the channel is to read what comes.
  enum Reading: Equatable {
    /// No read was asked for since something came.
    case idle
    /// A read was asked for, and nothing has come since.
    case asked
    /// The channel leaves its socket alone for a while, even if a read was asked for.
    case resting(isAsked: Bool)

    var isAsked: Bool { self == .asked || self == .resting(isAsked: true) }

    var isResting: Bool {
      switch self {
      case .idle, .asked: false
      case .resting: true
      }
    }

    /// Something has come, or nobody wants it any more, if `isAsked` is false.
    mutating func note(isAsked: Bool) {
      switch self {
      case .idle, .asked: self = isAsked ? .asked : .idle
      case .resting: self = .resting(isAsked: isAsked)
      }
    }

    mutating func rest() {
      assert(!isResting, "a channel that rests begins to rest")
      self = .resting(isAsked: isAsked)
    }

    mutating func goOn() {
      assert(isResting, "a channel goes on that didn't rest")
      self = isAsked ? .asked : .idle
    }
  }

  /// Whether what was flushed is being offered to the system.
  enum Flushing {
    case no
    case yes
    /// The turn's budget is used up. The rest waits until others have had their turn.
    case ends
  }
}
#endif
