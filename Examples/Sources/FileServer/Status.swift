import UV

/// How a request was answered. The failures are thrown, by whoever finds out.
enum Status: Int, Error {
  case ok = 200
  case partialContent = 206
  case movedPermanently = 301
  case notModified = 304
  case badRequest = 400
  case forbidden = 403
  case notFound = 404
  case methodNotAllowed = 405
  case requestTimeout = 408
  case rangeNotSatisfiable = 416
  case headerFieldsTooLarge = 431
  case internalServerError = 500
  case serviceUnavailable = 503
  case versionNotSupported = 505

  /// The status for a file that can't be served.
  init(_ error: UVError) {
    switch error.code {
    // That a name leads round in circles (ELOOP) is a file that doesn't exist, too.
    case .noSuchFile, .notDirectory, .nameTooLong, .invalidArgument, UVError.Code(rawValue: -40):
      self = .notFound
    case .permissionDenied, .notPermitted: self = .forbidden
    case .tooManyOpenFiles, .outOfMemory: self = .serviceUnavailable
    default: self = .internalServerError
    }
  }

  var reason: Bytes {
    switch self {
    case .ok: "OK"
    case .partialContent: "Partial Content"
    case .movedPermanently: "Moved Permanently"
    case .notModified: "Not Modified"
    case .badRequest: "Bad Request"
    case .forbidden: "Forbidden"
    case .notFound: "Not Found"
    case .methodNotAllowed: "Method Not Allowed"
    case .requestTimeout: "Request Timeout"
    case .rangeNotSatisfiable: "Range Not Satisfiable"
    case .headerFieldsTooLarge: "Request Header Fields Too Large"
    case .internalServerError: "Internal Server Error"
    case .serviceUnavailable: "Service Unavailable"
    case .versionNotSupported: "HTTP Version Not Supported"
    }
  }
}
