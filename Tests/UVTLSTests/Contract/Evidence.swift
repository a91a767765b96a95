import UV
import UVTestSupport

/// What one run has shown.
final class Evidence: Sendable {
  /// The writes of a run, in the order of their bytes, and what else is waited for.
  enum Name: String {
    /// What the system has no room for, so that the write that is tested waits.
    case before
    /// The write that is tested.
    case tested
    case after, shutdown, reading
  }

  struct Outcome: Sendable {
    let name: Name
    let code: UVError.Code?
    /// How many bytes of a file were sent.
    let count: Int?
  }

  private let log = Log<Outcome>()

  func note<T>(_ name: Name, _ result: Result<T, UVError>) {
    log.append(Outcome(name: name, code: result.error?.code, count: result.value as? Int))
  }

  func outcomes(of name: Name) -> [Outcome] { log.values.filter { $0.name == name } }

  func has(_ name: Name) -> Bool { !outcomes(of: name).isEmpty }

  func isSuccess(_ name: Name) -> Bool { outcomes(of: name).first.map { $0.code == nil } ?? false }
}

/// The bytes of a run. Each is a function of its place, so that a hole shows, and what comes twice.
struct Content: Sendable {
  /// 512 KiB in which no part comes twice.
  private static let all: [UInt8] = {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    return (0..<(1 << 19)).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(truncatingIfNeeded: state >> 32)
    }
  }()

  static let after = Bytes("xyz")

  let before: [UInt8]
  let tested: [UInt8]

  init(_ combination: Combination) {
    let (before, tested) =
      switch combination.state {
      // A callback's first write leaves at once, and so does a task's with nothing before it.
      case .notBegun: (combination.payload == .file ? 0 : 100, 600)
      case .begun: (0, 200_000)
      case .inFlight: (32_000, 16_000)
      case .blocked: (150_000, 16_000)
      }
    self.before = Array(Self.all[..<before])
    self.tested = Array(Self.all[before..<before + tested])
  }

  /// The tested bytes as the payload has them.
  func buffers(_ payload: Combination.Payload) -> [Bytes] {
    let parts = (0..<6).map { part in
      Bytes(tested[tested.count * part / 6..<tested.count * (part + 1) / 6])
    }
    return payload == .emptyBuffersToo
      ? [Bytes()] + parts[..<3] + [Bytes(), Bytes()] + parts[3...] + [Bytes()] : parts
  }
}
