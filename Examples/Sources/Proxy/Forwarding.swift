import UVHTTP

/// Requests for other servers: a tunnel by CONNECT, or a request that is sent on.
struct Forwarding {
  let client: HTTPClient
  let tunnels: Tunnels

  init(_ loop: EventLoop, _ tunnels: Tunnels) {
    self.tunnels = tunnels
    var options = HTTPClientOptions()
    options.connections.creation = tunnels.connectTimeout
    options.connections.resources = tunnels.limit
    (options.headTimeout, options.idleTimeout) = (tunnels.idleTimeout, tunnels.idleTimeout)
    options.total = tunnels.lifetime
    client = HTTPClient(loop, options: options)
  }

  /// What a client may make the proxy spend. The other server has limits of its own for a body.
  var limits: HTTPLimits {
    var limits = HTTPLimits()
    limits.body = .max
    (limits.idleTimeout, limits.lifetime) = (tunnels.idleTimeout, tunnels.lifetime)
    limits.lastSilence = tunnels.farewell
    return limits
  }

  func answer(_ exchange: HTTPExchange) async throws {
    let request = exchange.request
    if request.method == .connect {
      guard let target = Target(argument: request.authority ?? "") else {
        return try await refuse(exchange, .badRequest, "the port is 1 to 65535")
      }
      let server: TCPConnection
      do throws(UVError) { server = try await tunnels.connect(to: target, exchange.loop) } catch {
        return try await refuse(exchange, error)
      }
      defer { server.close() }
      try await tunnels.join(exchange.upgrade(HTTPResponse(status: .ok)).value, server)
    } else if request.scheme == "http" {
      let answer: HTTPClientResponse
      do throws(UVError) { answer = try await send(request.forwarded, exchange) } catch {
        return try await refuse(exchange, error)
      }
      try await pass(answer, to: exchange)
    } else {
      try await refuse(exchange, .badRequest, "this is a proxy: ask for http://HOST/PATH, or use CONNECT")
    }
  }

  private func send(
    _ request: HTTPRequest, _ exchange: HTTPExchange
  ) async throws(UVError) -> HTTPClientResponse {
    let length = exchange.bodyLength
    if length == 0 { return try await client.send(request).value }
    return try await client.send(request, body: exchange.body, length: length).value
  }

  /// Passes an answer on while it comes.
  private func pass(_ answer: HTTPClientResponse, to exchange: HTTPExchange) async throws(UVError) {
    var response = answer.head
    let length = response.headerFields[.contentLength].flatMap { Int($0) }
    response.headerFields.forward()
    if answer.status == .noContent || answer.status == .notModified {
      return try await exchange.respond(response).value
    }
    let writer = try exchange.begin(response, length: length)
    for try await part in answer.body { try await writer.write(part).value }
    try await writer.finish(answer.body.trailers).value
  }

  private func refuse(_ exchange: HTTPExchange, _ error: UVError) async throws(UVError) {
    try await refuse(exchange, error.code == .timedOut ? .gatewayTimeout : .badGateway, "\(error)")
  }

  private func refuse(
    _ exchange: HTTPExchange, _ status: HTTPResponse.Status, _ reason: String
  ) async throws(UVError) {
    let response = HTTPResponse(status: status, headerFields: [.contentType: "text/plain; charset=utf-8"])
    try await exchange.respond(response, Bytes("\(reason)\n")).value
  }
}

extension HTTPRequest {
  fileprivate var forwarded: HTTPRequest {
    var request = self
    request.headerFields.forward()
    return request
  }
}

extension HTTPFields {
  /// Leaves out what concerns one connection, and says that the message came by a proxy (RFC 9110, 7.6).
  fileprivate mutating func forward() {
    let named = (self[.connection] ?? "").split { ", \t".contains($0) }.map(String.init)
    let always = ["connection", "keep-alive", "proxy-authorization", "proxy-connection", "te", "upgrade"]
    for name in named + always { if let name = HTTPField.Name(name) { self[name] = nil } }
    append(HTTPField(name: .via, value: "1.1 swift-uv"))
  }
}
