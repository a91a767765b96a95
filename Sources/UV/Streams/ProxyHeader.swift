/// A load balancer's statement about a connection that it passes on: whose connection it is, by the PROXY
/// protocol, version 1 or 2.
///
/// [The specification](https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt) is HAProxy's.
public struct ProxyHeader: Hashable, Sendable {
  /// A further fact, in version 2.
  public struct Field: Hashable, Sendable {
    /// Its type: 0x01 is the protocol that TLS has chosen, 0x02 the name of the host that the client has asked
    /// for, 0x05 a unique identifier, 0x20 what TLS says of the client, 0x30 a network's name, 0xE0 to 0xEF are
    /// your own.
    public var type: UInt8
    /// Its bytes.
    public var bytes: Bytes

    /// Creates a field.
    package init(type: UInt8, bytes: Bytes) {
      self.type = type
      self.bytes = bytes
    }
  }

  /// The address of the client. Nil if the load balancer speaks for itself, as for a check of health, or
  /// doesn't know. A client of IPv4 has an address of IPv4, even if the load balancer writes it in IPv6's form.
  public var source: SocketAddress?
  /// The address that the client has connected to; nil with ``source``.
  public var destination: SocketAddress?
  /// The further facts, in their order. Those that pad the header are left out.
  public var fields: [Field]

  /// Creates a header.
  package init(source: SocketAddress? = nil, destination: SocketAddress? = nil, fields: [Field] = []) {
    self.source = source
    self.destination = destination
    self.fields = fields
  }

  /// The bytes of the first field of a type; nil if there is none.
  public subscript(type: UInt8) -> Bytes? { fields.first { $0.type == type }?.bytes }
}

extension ByteStream {
  /// The load balancer's header of this connection; nil if none was read. A TLS connection has the header that
  /// came before its handshake.
  public var proxyHeader: ProxyHeader? { isClosing ? nil : sidecar?.proxyHeader }

  /// Reads the header of the PROXY protocol, with which a load balancer begins a connection. The bytes after it
  /// are left for the next read.
  ///
  /// Only ask peers whom you trust: any client can claim to be anybody. `proxyProtocol(from:)` of a
  /// listener looks at whose connection it is, and limits the time.
  ///
  /// - Returns: A request for the header, which ``proxyHeader`` has afterwards, too. It fails with
  ///   `protocolError` and a reason if the peer sends something else or more than 4,096 bytes, with `endOfFile`
  ///   if it ends before, and with the errors of ``next()``. After a failure the bytes stay.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  public final func readProxyHeader() -> Request<ProxyHeader> {
    Request(of: self.loop) { [self] in readProxyHeader($0) }
  }

  /// Reads the header of the PROXY protocol; see ``readProxyHeader()``.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  @discardableResult
  public final func readProxyHeader(_ done: @escaping Completion<ProxyHeader>) -> PendingRequest {
    read(ReadRequest(.proxyHeader)) { [self] result in
      done(
        result.flatMap { bytes in
          guard let bytes, let (header, _) = try? ProxyHeader.parse(bytes.span) else {
            return .failure(UVError(.endOfFile, operation: "read", subject: "a PROXY header"))
          }
          if !isClosing { makeSidecar().proxyHeader = header }
          return .success(header)
        })
    }
  }
}

/// Parsing, over bytes of which more may come. It allocates nothing before a header is complete.
extension ProxyHeader {
  /// Why bytes are no header.
  package struct Malformed: Error { package let reason: String }

  /// The most bytes that a header may have.
  static let limit = 4096
  private static let firstLimit = 107
  private static let firstStart: StaticString = "PROXY "
  private static let secondStart: StaticString = "\r\n\r\n\0\r\nQUIT\n"

  /// - Returns: The header and how many bytes it has; nil if they haven't all come.
  package static func parse(
    _ bytes: Span<UInt8>
  ) throws(Malformed) -> (header: ProxyHeader, count: Int)? {
    if bytes.isEmpty { return nil }
    if begins(bytes, with: firstStart) { return try parseFirst(bytes) }
    if begins(bytes, with: secondStart) { return try parseSecond(bytes) }
    throw Malformed(reason: "the peer doesn't begin with a PROXY header")
  }

  /// Whether the bytes begin with these, as far as they have come.
  private static func begins(_ bytes: Span<UInt8>, with start: StaticString) -> Bool {
    for index in 0..<min(bytes.count, start.utf8CodeUnitCount)
    where bytes[index] != start.utf8Start[index] { return false }
    return true
  }

  // MARK: Version 1

  private static func parseFirst(_ bytes: Span<UInt8>) throws(Malformed) -> (header: ProxyHeader, count: Int)?
  {
    var end = 0
    while end < bytes.count, bytes[end] != UInt8(ascii: "\r") {
      if bytes[end] == UInt8(ascii: "\n") {
        throw Malformed(reason: "a line feed stands alone in the PROXY line")
      }
      end += 1
    }
    if end + 2 > firstLimit { throw Malformed(reason: "the PROXY line is longer than \(firstLimit) bytes") }
    guard end + 2 <= bytes.count else { return nil }
    guard bytes[end + 1] == UInt8(ascii: "\n") else {
      throw Malformed(reason: "a carriage return stands alone in the PROXY line")
    }
    let line = String(decoding: Bytes(copying: bytes.extracting(0..<end).bytes), as: UTF8.self)
    let parts = line.split(separator: " ", omittingEmptySubsequences: false)
    // The specification says to ignore the rest of such a line.
    if parts.count >= 2, parts[1] == "UNKNOWN" { return (ProxyHeader(), end + 2) }
    guard parts.count == 6, parts[1] == "TCP4" || parts[1] == "TCP6" else {
      throw Malformed(reason: "the PROXY line isn't one of TCP4, TCP6 or UNKNOWN")
    }
    let isSix = parts[1] == "TCP6"
    let header = ProxyHeader(
      source: try address(parts[2], parts[4], isSix), destination: try address(parts[3], parts[5], isSix))
    return (header, end + 2)
  }

  private static func address(
    _ host: Substring, _ port: Substring, _ isSix: Bool
  ) throws(Malformed) -> SocketAddress {
    guard let number = UInt16(port), port == "\(number)", !host.contains("%"),
      let address = try? SocketAddress(String(host), port: Int(number)), address.isIPv6 == isSix
    else { throw Malformed(reason: "no address in the PROXY line") }
    return address.unmapped
  }

  // MARK: Version 2

  private static let headCount = 16

  private static func parseSecond(_ bytes: Span<UInt8>) throws(Malformed) -> (
    header: ProxyHeader, count: Int
  )? {
    guard bytes.count > 12 else { return nil }
    guard bytes[12] >> 4 == 2 else { throw Malformed(reason: "a PROXY header of version \(bytes[12] >> 4)") }
    guard bytes[12] & 15 <= 1 else { throw Malformed(reason: "a PROXY command \(bytes[12] & 15)") }
    guard bytes.count >= headCount else { return nil }
    let count = headCount + integer(bytes, at: 14)
    if count > limit { throw Malformed(reason: "the PROXY header is longer than \(limit) bytes") }
    guard bytes.count >= count else { return nil }
    let header = bytes.extracting(0..<count)
    // A load balancer that speaks for itself: what follows is to be ignored.
    if bytes[12] & 15 == 0 { return (ProxyHeader(), count) }
    let length: Int
    var found = ProxyHeader()
    switch bytes[13] {
    case 0x00: length = 0
    case 0x11: length = 12
    case 0x21: length = 36
    case 0x31: length = 216
    default: throw Malformed(reason: "a PROXY header for addresses of the type \(bytes[13]), on a stream")
    }
    guard count >= headCount + length else {
      throw Malformed(reason: "the PROXY header has no room for its addresses")
    }
    if length == 12 {
      found.source = four(header, at: headCount, port: headCount + 8)
      found.destination = four(header, at: headCount + 4, port: headCount + 10)
    } else if length == 36 {
      found.source = six(header, at: headCount, port: headCount + 32)
      found.destination = six(header, at: headCount + 16, port: headCount + 34)
    }
    found.fields = try fields(header, from: headCount + length)
    return (found, count)
  }

  private static func integer(_ bytes: Span<UInt8>, at index: Int) -> Int {
    Int(bytes[index]) << 8 | Int(bytes[index + 1])
  }

  private static func four(_ bytes: Span<UInt8>, at index: Int, port: Int) -> SocketAddress {
    var address: UInt32 = 0
    for place in index..<(index + 4) { address = address << 8 | UInt32(bytes[place]) }
    return SocketAddress(family: .v4(address.bigEndian), port: UInt16(integer(bytes, at: port)))
  }

  private static func six(_ bytes: Span<UInt8>, at index: Int, port: Int) -> SocketAddress {
    var words: (UInt64, UInt64) = (0, 0)
    for place in index..<(index + 8) {
      words.0 = words.0 << 8 | UInt64(bytes[place])
      words.1 = words.1 << 8 | UInt64(bytes[place + 8])
    }
    let family = SocketAddress.Family.v6(words.0.bigEndian, words.1.bigEndian, scope: 0)
    return SocketAddress(family: family, port: UInt16(integer(bytes, at: port))).unmapped
  }

  private static func fields(_ header: Span<UInt8>, from start: Int) throws(Malformed) -> [Field] {
    var fields: [Field] = []
    var index = start
    var hasSum = false
    while index < header.count {
      guard header.count - index >= 3, header.count - index - 3 >= integer(header, at: index + 1) else {
        throw Malformed(reason: "a field of the PROXY header is cut off")
      }
      let type = header[index]
      let begin = index + 3
      index = begin + integer(header, at: index + 1)
      switch type {
      case 0x03:
        guard index - begin == 4, !hasSum else {
          throw Malformed(reason: "a PROXY header with two checksums")
        }
        hasSum = true
        try check(header, sumAt: begin)
      // Padding.
      case 0x04: break
      default:
        fields.append(Field(type: type, bytes: Bytes(copying: header.extracting(begin..<index).bytes)))
      }
    }
    return fields
  }

  /// Compares the checksum, which was made with zeros in its place.
  private static func check(_ header: Span<UInt8>, sumAt place: Int) throws(Malformed) {
    var sum = CRC32C()
    sum.add(header.extracting(0..<place))
    sum.add(Bytes(repeating: 0, count: 4).span)
    sum.add(header.extracting((place + 4)..<header.count))
    var sent: UInt32 = 0
    for index in place..<(place + 4) { sent = sent << 8 | UInt32(header[index]) }
    guard sent == sum.value else { throw Malformed(reason: "the checksum of the PROXY header is wrong") }
  }
}
