import UV

/// What a server answers to a command.
enum RedisValue: CustomStringConvertible {
  case text(Bytes)
  case integer(Int)
  /// Nothing has been found.
  case none
  case list([RedisValue])

  var description: String {
    switch self {
    case .text(let bytes): "\(bytes)"
    case .integer(let number): "\(number)"
    case .none: "(nil)"
    case .list(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
    }
  }
}

/// The server has understood the command, and refuses it.
struct RedisError: Error {
  let message: String
}
