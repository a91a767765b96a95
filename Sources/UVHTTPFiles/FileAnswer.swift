#if HTTP || Everything
import HTTPTypes
import UV
import UVHTTP

/// The answer to one request.
struct FileAnswer {
  let site: Site
  let exchange: HTTPExchange
  /// The path of the file as a URL has it; nil for the request's.
  let path: String?

  /// A whole answer that needs no look at the file, since its bytes are in memory; nil if there is none.
  func known() -> (head: HTTPPreparedHead, bytes: Bytes)? {
    let request = exchange.request
    guard request.method == .get || request.method == .head, exchange.bodyLength == 0,
      let page = site.fresh((path ?? request.path ?? "/").withoutQuery)?.page(for: request.headerFields),
      let bytes = page.bytes, !request.headerFields.haveConditions
    else { return nil }
    return (page.head, bytes)
  }

  /// Gives the answer.
  func give(isRetry: Bool = false) async throws(UVError) {
    let request = exchange.request
    do throws(Failure) {
      switch request.method {
      case .get, .head: break
      case .options: return try await respond(.plain(.noContent, [.allow: HTTPResponse.allowedMethods]))
      default: throw .status(.methodNotAllowed)
      }
      let target = (path ?? request.path ?? "/").withoutQuery
      switch try await site.content(target) {
      case .resource(let resource):
        do throws(Failure) { try await give(resource, target) } catch {
          // It was remembered, and something else has its name by now.
          guard case .status(.notFound) = error, !isRetry else { throw error }
          do throws(UVError) { return try await give(isRetry: true) } catch { throw .error(error) }
        }
      case .redirection: try await respond(.plain(.movedPermanently, [.location: directory]))
      case .listing(let page):
        switch Conditions(tag: nil, modified: nil).outcome(request.headerFields) {
        case .proceed: try await respond(.plain(.ok, [.contentType: "text/html; charset=utf-8"]), page)
        case .notModified: try await respond(HTTPResponse(status: .notModified))
        case .failed: throw .status(.preconditionFailed)
        }
      }
    } catch { try await give(error) }
  }

  /// Where a directory is whose name was asked for without a slash at its end: the links of its page are relative. Two
  /// slashes at the beginning would lead to another host.
  private var directory: String {
    let target = exchange.request.path ?? "/"
    let path = target.withoutQuery
    return "/\(path.drop { $0 == "/" })/\(target.dropFirst(path.count))"
  }

  private func give(_ failure: Failure) async throws(UVError) {
    guard case .status(let status) = failure else {
      if case .error(let error) = failure { throw error }
      return
    }
    if status == .notFound, let fallback = site.options.fallback {
      // One that can't be served is one that isn't there.
      do throws(Failure) { return try await give(fallback.page, fallback.status) } catch {
        if case .error(let error) = error { throw error }
      }
    }
    do throws(Failure) {
      try await respond(.failure(status), Bytes("\(status.code) \(status.reasonPhrase)\n"))
    } catch { if case .error(let error) = error { throw error } }
  }

  /// Gives a file in place of one that isn't there.
  private func give(_ page: String, _ status: HTTPResponse.Status) async throws(Failure) {
    guard case .resource(let resource) = try await site.content(page) else { throw .status(.notFound) }
    if status == .ok { return try await give(resource, page) }
    let (page, body) = try await site.open(
      resource.page(for: exchange.request.headerFields), of: resource, page)
    var response = page.response
    response.status = status
    // They are of the file that stands in, and not of what was asked for.
    for name in [HTTPField.Name.eTag, .lastModified, .acceptRanges] { response.headerFields[name] = nil }
    try await send(response, body, 0..<page.size)
  }

  /// Gives a file.
  private func give(_ resource: Resource, _ target: String) async throws(Failure) {
    let request = exchange.request
    let page = resource.page(for: request.headerFields)
    if let answer = try answer(instead: page) { return try await respond(answer) }
    // There is no need to open it.
    if request.method == .head { return try await respondToHead(page) }
    let (current, body) = try await site.open(page, of: resource, target)
    if current !== page, let answer = try answer(instead: current) { return try await respond(answer) }
    try await give(current, body)
  }

  /// The answer to a client that needs no bytes, by the conditions of its request; nil if it gets them.
  private func answer(instead page: Page) throws(Failure) -> HTTPResponse? {
    switch Conditions(tag: page.tag, modified: page.modified).outcome(exchange.request.headerFields) {
    case .proceed: return nil
    case .notModified: return page.notModified
    case .failed: throw .status(.preconditionFailed)
    }
  }

  private func give(_ page: Page, _ body: Site.Body) async throws(Failure) {
    let fields = exchange.request.headerFields
    var response = page.response
    guard Conditions(tag: page.tag, modified: page.modified).allowRanges(fields),
      let ranges = fields[.range].flatMap({ ByteRanges.parse($0, size: page.size) })
    else { return try await send(response, body, 0..<page.size) }
    switch ranges.count {
    case 0:
      response = .failure(.rangeNotSatisfiable)
      response.headerFields[.contentRange] = "bytes */\(page.size)"
      try await respond(response)
    case 1:
      response.status = .partialContent
      response.headerFields[.contentRange] = page.name(of: ranges[0])
      try await send(response, body, ranges[0])
    default: try await send(page, body, ranges)
    }
  }
}

extension String {
  /// The path of a request's target.
  var withoutQuery: String {
    utf8.firstIndex(of: UInt8(ascii: "?")).map { String(self[..<$0]) } ?? self
  }
}
#endif
