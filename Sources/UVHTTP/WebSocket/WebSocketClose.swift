#if HTTP || Everything
/// Why a ``WebSocket`` is closed: the number that is sent to the peer.
///
/// Numbers from 3000 on are for libraries and programs: `WebSocketCloseCode(rawValue: 4001)`. Some numbers are never
/// sent, such as ``noStatus``. ``WebSocket/close(_:reason:)`` refuses these.
///
/// The source is RFC 6455, 7.4.
public struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The number.
  public let rawValue: UInt16

  /// The code with a number, which may be one that can't be sent.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// 1000: the purpose of the connection has been fulfilled.
  public static let normal = WebSocketCloseCode(rawValue: 1000)
  /// 1001: the server ends, or the client has gone elsewhere.
  public static let goingAway = WebSocketCloseCode(rawValue: 1001)
  /// 1002: the peer has broken the protocol.
  public static let protocolError = WebSocketCloseCode(rawValue: 1002)
  /// 1003: the peer has sent a kind of message that isn't wanted, such as bytes instead of text.
  public static let unacceptableData = WebSocketCloseCode(rawValue: 1003)
  /// 1005: the peer has closed without a code. It is never sent.
  public static let noStatus = WebSocketCloseCode(rawValue: 1005)
  /// 1007: a text isn't UTF-8.
  public static let invalidData = WebSocketCloseCode(rawValue: 1007)
  /// 1008: the peer has broken a rule of the program.
  public static let policyViolation = WebSocketCloseCode(rawValue: 1008)
  /// 1009: a message is larger than a limit.
  public static let messageTooBig = WebSocketCloseCode(rawValue: 1009)
  /// 1010: the server hasn't agreed to an extension that the client needs.
  public static let missingExtension = WebSocketCloseCode(rawValue: 1010)
  /// 1011: the program has failed.
  public static let internalError = WebSocketCloseCode(rawValue: 1011)
  /// 1012: the server is started anew.
  public static let serviceRestart = WebSocketCloseCode(rawValue: 1012)
  /// 1013: the server has too much to do.
  public static let tryAgainLater = WebSocketCloseCode(rawValue: 1013)

  /// The number.
  public var description: String { "\(rawValue)" }

  /// Whether the code may be sent: those that are registered, and those for libraries and programs.
  var isValid: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}

/// The code and reason with which a peer has closed a ``WebSocket``.
///
/// The source is RFC 6455, 5.5.1.
public struct WebSocketClose: Hashable, Sendable {
  /// The code; ``WebSocketCloseCode/noStatus`` if the peer said none.
  public let code: WebSocketCloseCode
  /// A reason, for people who look for a fault. It may be empty.
  public let reason: String
}

/// Why a connection can't go on, as it is sent to the peer.
struct WebSocketFault: Error, Equatable {
  let code: WebSocketCloseCode
  let reason: String

  static func wrong(_ reason: String) -> WebSocketFault {
    WebSocketFault(code: .protocolError, reason: reason)
  }

  static func tooBig(_ reason: String) -> WebSocketFault {
    WebSocketFault(code: .messageTooBig, reason: reason)
  }

  static let notText = WebSocketFault(code: .invalidData, reason: "a text isn't UTF-8")
}
#endif
