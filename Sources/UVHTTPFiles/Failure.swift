#if HTTP || Everything
import HTTPTypes
import UV

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Why a request isn't answered with what it asks for.
enum Failure: Error {
  /// The client gets this status.
  case status(HTTPResponse.Status)
  /// The client gets nothing: the program has cancelled the answer, or the loop has ended.
  case error(UVError)

  /// The answer for a file that can't be served.
  init(_ error: UVError) {
    switch error.code {
    case .cancelled, .loopClosed: self = .error(error)
    // A name that leads round in circles is a file that doesn't exist, too.
    case .noSuchFile, .notDirectory, .nameTooLong, .invalidArgument, UVError.Code(rawValue: -ELOOP):
      self = .status(.notFound)
    case .permissionDenied, .notPermitted: self = .status(.forbidden)
    case .tooManyOpenFiles, .outOfMemory, .endOfFile, UVError.Code(rawValue: -ENFILE):
      self = .status(.serviceUnavailable)
    default: self = .status(.internalServerError)
    }
  }

  /// The answer if the root itself can't be found, which is no fault of the client's.
  init(ofRoot error: UVError) {
    self.init(error)
    if case .status(let status) = self, status != .serviceUnavailable { self = .status(.internalServerError) }
  }
}

extension HTTPResponse {
  /// The methods that files are asked for by.
  static let allowedMethods = "GET, HEAD, OPTIONS"

  /// A head with the field that all answers have: a browser may not guess at another type than they say.
  static func plain(_ status: Status, _ fields: HTTPFields) -> HTTPResponse {
    var response = HTTPResponse(status: status, headerFields: fields)
    response.headerFields[.xContentTypeOptions] = "nosniff"
    return response
  }

  /// The head of an answer that says what is wrong.
  static func failure(_ status: Status) -> HTTPResponse {
    var response = plain(status, [.contentType: "text/plain; charset=utf-8"])
    if status == .methodNotAllowed { response.headerFields[.allow] = allowedMethods }
    if status == .serviceUnavailable { response.headerFields[.retryAfter] = "1" }
    return response
  }
}
#endif
