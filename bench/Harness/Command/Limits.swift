import ArgumentParser

/// The largest numbers that make sense, and that can be reckoned with.
enum Limits {
  /// Eleven days.
  static let seconds = 1e6
  /// Two hundred times what this library has ever done.
  static let rate = 1e8
  static let rounds = 10_000

  /// Throws unless `value` is a number of rounds, or of processes that share them.
  static func check(_ value: Int?, _ name: String) throws {
    guard let value, !(1...rounds).contains(value) else { return }
    throw ValidationError("\(name) must be at least 1 and at most \(rounds)")
  }

  /// Throws unless `value` is above zero and at most `limit`.
  static func check(_ value: Double?, _ name: String, upTo limit: Double) throws {
    guard let value, !(value > 0 && value <= limit) else { return }
    throw ValidationError("\(name) must be above 0 and at most \(Int(limit))")
  }
}
