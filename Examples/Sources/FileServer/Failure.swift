import UVHTTP

/// Why a request isn't answered with what it asks for.
struct Failure: Error {
  let status: HTTPResponse.Status

  init(_ status: HTTPResponse.Status) { self.status = status }

  /// The status for a file that can't be served.
  init(_ error: UVError) {
    switch error.code {
    // That a name leads round in circles (ELOOP) is a file that doesn't exist, too.
    case .noSuchFile, .notDirectory, .nameTooLong, .invalidArgument, UVError.Code(rawValue: -40):
      status = .notFound
    case .permissionDenied, .notPermitted: status = .forbidden
    case .tooManyOpenFiles, .outOfMemory: status = .serviceUnavailable
    default: status = .internalServerError
    }
  }

  var response: HTTPResponse {
    var response = HTTPResponse.plain(status, [.contentType: "text/plain; charset=utf-8"])
    if status == .methodNotAllowed { response.headerFields[.allow] = "GET, HEAD" }
    if status == .serviceUnavailable { response.headerFields[.retryAfter] = "1" }
    if status != .notFound, status != .forbidden { response.headerFields[.connection] = "close" }
    return response
  }

  var body: Bytes { Bytes("\(status.code) \(status.reasonPhrase)\n") }
}
