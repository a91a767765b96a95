#if Everything
import UV

/// What is fed with bytes of any kind: by libFuzzer through `Tests/run fuzz`, and by the tests.
public enum FuzzEntry: String, CaseIterable, Sendable {
  case address, path, stream, tls, http, answer, webSocket

  /// Feeds `input`, and says what does not hold; nil if everything does.
  ///
  /// - Parameter directory: A directory of the caller's own.
  public func feed(_ input: [UInt8], to loop: EventLoop, directory: String) async throws -> String? {
    switch self {
    case .address: FuzzedAddress(input).problem
    case .path: try await FuzzedPath(loop, directory, input).problem()
    case .stream: try await FuzzedStream(loop, input).problem()
    case .tls: try await FuzzedTLS(loop, directory, input).problem()
    case .http: try await FuzzedHTTP(loop, .requests, input).problem()
    case .answer: try await FuzzedHTTP(loop, .answer, input).problem()
    case .webSocket: try await FuzzedHTTP(loop, .frames, input).problem()
    }
  }
}

/// Parsing an address: what is taken survives the way through text and back, what is not is refused with a
/// clear error.
struct FuzzedAddress {
  private let host: String
  private let port: Int

  init(_ input: [UInt8]) {
    // Mostly ports that exist, sometimes any number.
    let digits = input.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    port = input.first == 0xff ? digits << 40 - 1 : digits
    host = String(decoding: input.dropFirst(2), as: UTF8.self)
  }

  var problem: String? {
    do throws(UVError) {
      let address = try SocketAddress(host, port: port)
      guard address.port == port else { return "the port \(port) became \(address.port)" }
      guard !host.utf8.contains(0) else { return "a NUL was taken" }
      let again = try SocketAddress(address.host, port: port)
      guard again == address, again.description == address.description, again.hashValue == address.hashValue
      else { return "\(address) became \(again)" }
      guard address.isIPv6 == host.contains(":") else { return "\(host) became \(address)" }
      return nil
    } catch {
      guard error.code == .invalidArgument else { return "\(error)" }
      return nil
    }
  }
}

/// A file by any name: it is found again under that very name, or refused.
struct FuzzedPath {
  private let loop: EventLoop
  private let directory: String
  private let input: [UInt8]

  init(_ loop: EventLoop, _ directory: String, _ input: [UInt8]) {
    self.loop = loop
    self.directory = directory
    self.input = Array(input.prefix(300))
  }

  func problem() async throws -> String? {
    // Looked at anywhere, made in one place only.
    let text = String(decoding: input, as: UTF8.self)
    for request in [loop.files.stat(text), loop.files.lstat(text)] {
      do throws(UVError) {
        _ = try await request.value
        if input.contains(0) { return "a path with a NUL was used" }
      } catch {
        if text.utf8.contains(0), error.code != .invalidArgument { return "\(error)" }
      }
    }
    let bytes = input.filter { $0 != 0 && $0 != UInt8(ascii: "/") }.map { CChar(bitPattern: $0) } + [0]
    guard let name = bytes.withUnsafeBufferPointer({ FilePath.Component(platformString: $0.baseAddress!) }),
      name.kind == .regular
    else { return nil }
    let path = FilePath(directory).appending(name)
    do throws(UVError) {
      try await loop.files.writeFile(path, "x").value
    } catch {
      return error.code == .nameTooLong && bytes.count > 256 ? nil : "\(error)"
    }
    let entries = try await loop.files.scandir(directory).value
    try await loop.files.unlink(path).value
    return entries.map(\.name) == [name] ? nil : "\(name) became \(entries.map(\.name))"
  }
}

/// Whatever is written to a stream, in whatever pieces, arrives whole and in order.
struct FuzzedStream {
  private let loop: EventLoop
  private let input: [UInt8]

  init(_ loop: EventLoop, _ input: [UInt8]) {
    self.loop = loop
    self.input = Array(input.prefix(256))
  }

  func problem() async throws -> String? {
    let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    defer { listener.close() }
    let client = try await loop.tcp.connect(to: listener.localAddress()).value
    let server = try await listener.accept().value
    defer {
      client.close()
      server.close()
    }
    var sent: [Bytes] = []
    let writer = loop.spawn { () async throws(UVError) in
      for (index, command) in input.enumerated() {
        let count = 1 << (Int(command) & 15) - 1
        let bytes = Bytes(repeating: UInt8(truncatingIfNeeded: index), count: count)
        if !(12...13 ~= command >> 4) { sent.append(bytes) }
        try await obey(command, bytes, client)
      }
      try await client.shutdown().value
    }
    var chunk = 0
    var position = 0
    var turn = 0
    while var part = try await server.next().value {
      while !part.isEmpty {
        guard chunk < sent.count else { return "more arrived than was written" }
        let rest = Bytes(sent[chunk].dropFirst(position))
        let count = min(rest.count, part.count)
        guard Bytes(part.prefix(count)) == Bytes(rest.prefix(count)) else { return "chunk \(chunk) differs" }
        part = Bytes(part.dropFirst(count))
        position += count
        if position == sent[chunk].count { (chunk, position) = (chunk + 1, 0) }
      }
      // A reader that is slow now and then.
      if turn < input.count, input[turn] & 3 == 3 { try await loop.sleep(for: .zero).value }
      turn += 1
    }
    try await writer.value
    while chunk < sent.count, position == sent[chunk].count { (chunk, position) = (chunk + 1, 0) }
    return chunk == sent.count ? nil : "\(chunk) of \(sent.count) chunks arrived"
  }

  /// Each byte of the input is a way to write.
  private func obey(_ command: UInt8, _ bytes: Bytes, _ client: TCPConnection) async throws(UVError) {
    switch command >> 4 {
    case 6...8: try await client.write(bytes).value
    case 9...11:
      let third = bytes.count / 3
      client.write([Bytes(bytes.prefix(third)), Bytes(bytes.dropFirst(third))]) { _ in }
    case 12: try await client.drain().value
    case 13: try await loop.sleep(for: .zero).value
    default: client.write(bytes) { _ in }
    }
  }
}
#endif
