// The two blocks of the article "Paths and methods" of UVHTTP.
import Foundation
import UVHTTP

struct Router {
  typealias Handler = nonisolated(nonsending) (HTTPExchange, [String: String]) async throws -> Void
  private var routes: [(method: HTTPRequest.Method, pattern: [Substring], handler: Handler)] = []

  mutating func on(_ method: HTTPRequest.Method, _ pattern: String, _ handler: @escaping Handler) {
    routes.append((method, Self.parts(pattern), handler))
  }

  func answer(_ exchange: HTTPExchange) async throws {
    let target = exchange.request.path ?? "/"
    let path = Self.parts(target.prefix { $0 != "?" })
    let found = routes.compactMap { route in Self.values(of: path, route.pattern).map { (route, $0) } }
    // HEAD has the answer of GET, without its body.
    let method = exchange.request.method == .head ? .get : exchange.request.method
    if let (route, values) = found.first(where: { $0.0.method == method }) {
      let query = URLComponents(string: "?" + target.drop { $0 != "?" }.dropFirst())?.queryItems ?? []
      let all = query.map { ($0.name, $0.value ?? "") } + Array(values)
      return try await route.handler(exchange, Dictionary(all) { $1 })
    }
    var response = HTTPResponse(status: found.isEmpty ? .notFound : .methodNotAllowed)
    if !found.isEmpty {
      response.headerFields[.allow] = found.map { $0.0.method.rawValue }.joined(separator: ", ")
    }
    try await exchange.respond(response).value
  }

  private static func parts(_ path: some StringProtocol) -> [Substring] {
    Substring(path).split(separator: "/", omittingEmptySubsequences: false)
  }

  /// The values of a pattern's names; nil if it doesn't fit.
  private static func values(of path: [Substring], _ pattern: [Substring]) -> [String: String]? {
    guard path.count == pattern.count else { return nil }
    var values: [String: String] = [:]
    for (part, text) in zip(pattern, path) {
      guard part.hasPrefix(":") else { if part == text { continue } else { return nil } }
      guard let value = text.removingPercentEncoding, !value.isEmpty else { return nil }
      values[String(part.dropFirst())] = value
    }
    return values
  }
}

extension HTTPExchange {
  func respond(json value: some Encodable, _ status: HTTPResponse.Status = .ok) async throws {
    let response = HTTPResponse(status: status, headerFields: [.contentType: "application/json"])
    try await respond(response, Bytes(try JSONEncoder().encode(value))).value
  }

  func json<T: Decodable>(_ type: T.Type) async throws -> T {
    try JSONDecoder().decode(type, from: Data(try await body.readToEnd(limit: 100_000).value))
  }
}
