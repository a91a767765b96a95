import CAres

/// An error of c-ares.
struct AresError: Error {
  let code: Int
  /// The error's text in place of c-ares's.
  private let reason: String?

  /// An answer that breaks the protocol.
  static let malformed = AresError(CARES_BADRESP)
  /// A name that has no such records.
  static let noData = AresError(CARES_NODATA)

  init(_ code: some BinaryInteger, _ reason: String? = nil) {
    self.code = Int(code)
    self.reason = reason
  }

  /// The error with the code that the thread pool's lookup would have, and c-ares's text.
  func uvError(_ operation: String, _ subject: String?) -> UVError {
    let text = reason ?? String(cString: ares_strerror(Int32(code)))
    return UVError(uvCode, operation: operation, subject: subject, message: text)
  }

  private var uvCode: UVError.Code {
    switch code {
    case CARES_NOTFOUND, CARES_NODATA, CARES_NONAME, CARES_BADNAME: .unknownHost
    case CARES_BADQUERY, CARES_BADFAMILY, CARES_BADFLAGS, CARES_BADSTR: .invalidArgument
    case CARES_NOMEM: .outOfMemory
    case CARES_CANCELLED, CARES_DESTRUCTION: .cancelled
    // No server has answered, or none could.
    default: .nameServerFailure
    }
  }
}
