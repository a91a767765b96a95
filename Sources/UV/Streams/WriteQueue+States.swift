extension WriteQueue {
  /// Until when the writes that wait here are gathered.
  enum Gathering {
    /// None are.
    case none
    /// Until the start of the next turn, which has been arranged.
    case nextTurn
    /// Until the stream has delivered the bytes that it has read. There are some if `isDue`.
    case delivering(isDue: Bool)

    /// Whether there are writes, and it is arranged when they leave.
    var isDue: Bool {
      switch self {
      case .none, .delivering(isDue: false): false
      case .nextTurn, .delivering(isDue: true): true
      }
    }

    /// Whether the stream delivers what it has read.
    var isDelivering: Bool { if case .delivering = self { true } else { false } }

    /// The first write waits. Returns whether the next turn has to be arranged.
    mutating func begin() -> Bool {
      switch self {
      case .none:
        self = .nextTurn
        return true
      case .delivering(isDue: false): self = .delivering(isDue: true)
      case .nextTurn, .delivering(isDue: true): assertionFailure("writes are gathered already")
      }
      return false
    }

    /// The writes that wait leave now.
    mutating func flush() {
      switch self {
      case .none, .nextTurn: self = .none
      case .delivering: self = .delivering(isDue: false)
      }
    }

    mutating func beginDelivering() {
      switch self {
      case .none: self = .delivering(isDue: false)
      case .nextTurn: self = .delivering(isDue: true)
      case .delivering: assertionFailure("a stream that delivers begins to deliver")
      }
    }

    /// Returns whether there are writes, which leave now.
    mutating func endDelivering() -> Bool {
      switch self {
      case .delivering(let isDue):
        self = .none
        return isDue
      case .none, .nextTurn:
        assertionFailure("a stream ends delivering that didn't deliver")
        return false
      }
    }
  }

  /// How far the end of the writing side is.
  enum Shutdown {
    /// Nobody has asked for it.
    case open
    /// It comes after the writes that wait, and after the filter's last word.
    case waits
    /// libuv ends the writing side, or has ended it.
    case begun
    /// A write before it has failed, or libuv has refused it, or the stream closes first.
    case failed

    func mayBecome(_ next: Shutdown) -> Bool {
      switch (self, next) {
      case (.open, .waits), (.waits, .begun), (.waits, .failed): true
      case (.open, _), (.waits, _), (.begun, _), (.failed, _): false
      }
    }
  }
}
