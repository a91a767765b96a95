#if HTTP || Everything
import UVHTTP

/// How a server compresses what it sends: in which formats, how much, and which answers.
///
/// ```swift
/// let compression = HTTPCompression()
/// for try await exchange in server {
///   let head = HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"])
///   try await exchange.respond(head, json, compression: compression).value
/// }
/// ```
///
/// An answer is compressed if the client accepts that (`Accept-Encoding`), and if it is worthwhile. These
/// answers stay as they are: those that have a `Content-Encoding` or a `Content-Range` already, or
/// `Cache-Control: no-transform`, those with the status 204, 206 or 304, those whose type is compressed in itself, and
/// short ones. An answer that may be compressed has the field `Vary: accept-encoding`, so that a cache keeps
/// both. A strong `ETag` of a compressed answer becomes a weak one.
///
/// Don't compress an answer that has both a secret and text that an attacker chooses: its length gives the
/// secret away (BREACH).
public struct HTTPCompression: Sendable {
  /// A format in which bytes are compressed, by the name that HTTP has for it.
  public enum Coding: String, Sendable, CaseIterable {
    /// The format of `gzip`, RFC 1952.
    case gzip
    /// The format of zlib, RFC 1950.
    case deflate
  }

  /// The formats to use, the favourite first; `gzip` and `deflate` by default.
  public var codings: [Coding] = [.gzip, .deflate]
  /// How much time to take for a smaller answer, 1 (fastest) to 9 (smallest); 6 by default.
  public var level = 6
  /// How many bytes a whole answer has at least that is compressed, 0 or more; 1,024 by default. An answer that
  /// is written bit by bit has no size yet, and is compressed.
  public var minimumSize = 1024
  /// Decides by the field `Content-Type`, without its parameters and in lower case, whether to compress. By default text is, and JSON,
  /// XML, JavaScript, WebAssembly, SVG and fonts that aren't compressed. An answer without the field isn't compressed.
  public var isWorthwhile: @Sendable (_ contentType: String) -> Bool = Self.isText

  /// The usual settings.
  public init() {}

  /// The field of a client that calls ``HTTPClientResponse/decompressedBody(limit:)``:
  /// `request.headerFields[.acceptEncoding] = HTTPCompression.accepted`.
  public static let accepted = "gzip, deflate"

  @Sendable private static func isText(_ type: String) -> Bool {
    if type.hasPrefix("text/") || type.hasSuffix("+json") || type.hasSuffix("+xml") { return true }
    return others.contains(type)
  }

  private static let others: Set<String> = [
    "application/javascript", "application/json", "application/wasm",
    "application/x-javascript", "application/x-ndjson", "application/xml", "application/yaml", "font/otf",
    "font/ttf", "image/bmp", "image/x-icon", "image/vnd.microsoft.icon",
  ]
}

extension HTTPCompression {
  /// Decides about an answer, and adds the fields that it then has.
  ///
  /// - Parameters:
  ///   - response: The answer as the program gives it. If it may be compressed, it gets the field `Vary`.
  ///   - request: What is answered.
  ///   - count: The size of the body in bytes; nil if it isn't known.
  /// - Returns: The format to use; nil if the answer isn't compressed.
  func coding(of response: inout HTTPResponse, to request: HTTPRequest, count: Int?) -> Coding? {
    guard mayCompress(response), count ?? .max >= minimumSize else { return nil }
    response.headerFields.varyByCoding()
    let name = request.headerFields.preferredContentCoding(of: codings.map(\.rawValue))
    return name.flatMap { Coding(rawValue: $0) }
  }

  private func mayCompress(_ response: HTTPResponse) -> Bool {
    let fields = response.headerFields
    switch response.status.code {
    case ..<200, 204, 206, 304: return false
    default: break
    }
    if fields[.contentEncoding] != nil || fields[.contentRange] != nil { return false }
    if fields[.cacheControl]?.lowercased().contains("no-transform") ?? false { return false }
    guard let type = fields[.contentType]?.split(separator: ";").first else { return false }
    return isWorthwhile(type.lowercased().filter { $0 != " " && $0 != "\t" })
  }
}

extension HTTPResponse {
  /// The head of the answer once it is compressed.
  func compressed(by coding: HTTPCompression.Coding) -> HTTPResponse {
    var response = self
    response.headerFields[.contentEncoding] = coding.rawValue
    // The bytes differ from those that the tag was made for (RFC 9110, 8.8.1).
    if let tag = response.headerFields[.eTag], tag.hasPrefix("\"") {
      response.headerFields[.eTag] = "W/\(tag)"
    }
    return response
  }
}

extension HTTPFields {
  fileprivate mutating func varyByCoding() {
    let names = self[.vary]?.lowercased() ?? ""
    if names.contains("accept-encoding") || names.contains("*") { return }
    self[.vary] = self[.vary].map { "\($0), accept-encoding" } ?? "accept-encoding"
  }
}
#endif
