#if HTTP || Everything
import HTTPTypes
import UV
import UVHTTP

/// Heads and bytes on their way to the client.
extension FileAnswer {
  func respond(_ response: HTTPResponse, _ bytes: Bytes = Bytes()) async throws(Failure) {
    do throws(UVError) { try await exchange.respond(closing(response), bytes).value } catch {
      throw .error(error)
    }
  }

  /// Gives the head of an answer with a whole file.
  func respondToHead(_ page: Page) async throws(Failure) {
    do throws(UVError) {
      try await exchange.begin(closing(page.response), length: page.size).finish().value
    } catch { throw .error(error) }
  }

  /// Sends bytes of a file. Those that aren't in memory go from the file to the connection inside the system, or, if they
  /// have to be encrypted, through this process a part at a time.
  func send(_ response: HTTPResponse, _ body: Site.Body, _ range: Range<Int>) async throws(Failure) {
    do throws(UVError) {
      let response = closing(response)
      switch body {
      case .bytes(let bytes): try await exchange.respond(response, Bytes(bytes[range])).value
      case .file(let file):
        try await exchange.respond(response, file: file, from: Int64(range.lowerBound), count: range.count)
          .value
      }
    } catch { throw .error(error) }
  }

  /// Sends several parts of a file, each with a head of its own (RFC 9110, 14.6). A boundary that nobody can guess can't be
  /// in a file on purpose.
  func send(_ page: Page, _ body: Site.Body, _ ranges: [Range<Int>]) async throws(Failure) {
    let boundary = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let heads = ranges.map { range in
      Bytes(
        "\r\n--\(boundary)\r\ncontent-type: \(page.type)\r\ncontent-range: \(page.name(of: range))\r\n\r\n")
    }
    let end = Bytes("\r\n--\(boundary)--\r\n")
    var response = page.response
    response.status = .partialContent
    response.headerFields[.contentType] = "multipart/byteranges; boundary=\(boundary)"
    let length = zip(heads, ranges).reduce(end.count) { $0 + $1.0.count + $1.1.count }
    do throws(UVError) {
      let writer = try exchange.begin(closing(response), length: length)
      for (head, range) in zip(heads, ranges) {
        try await writer.write(head).value
        switch body {
        case .bytes(let bytes): try await writer.write(Bytes(bytes[range])).value
        case .file(let file):
          try await writer.write(file: file, from: Int64(range.lowerBound), count: range.count).value
        }
      }
      try await writer.write(end).value
      try await writer.finish().value
    } catch { throw .error(error) }
  }

  /// A body isn't wanted, and not waited for.
  private func closing(_ response: HTTPResponse) -> HTTPResponse {
    if exchange.bodyLength == 0 { return response }
    var response = response
    response.headerFields[.connection] = "close"
    return response
  }
}

extension Page {
  /// How a part of the file is named in its head.
  func name(of range: Range<Int>) -> String { "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)" }
}
#endif
