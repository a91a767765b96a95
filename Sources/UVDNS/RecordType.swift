/// A record that a name server has.
public struct DNSAnswer<Value> {
  /// The name that has the record. If the name that was asked for is an alias, this is what it stands for.
  public var name: String
  /// How long the record may be kept.
  public var timeToLive: Duration
  /// The record's data.
  public var value: Value

  /// Creates a record.
  package init(name: String, timeToLive: Duration, value: Value) {
    self.name = name
    self.timeToLive = timeToLive
    self.value = value
  }
}

extension DNSAnswer: Sendable where Value: Sendable {}
extension DNSAnswer: Equatable where Value: Equatable {}
extension DNSAnswer: Hashable where Value: Hashable {}

/// A kind of records that ``DNSResolver/query(_:_:searches:)`` asks for.
///
/// ```swift
/// let request = loop.resolver.query("_imap._tcp.example.org", .srv)
/// request.start { result in
///   if case .success(let answers) = result { for answer in answers { print(answer.value.target) } }
/// }
/// ```
///
/// Names in records are written as in a master file: without the last dot, and with `\` before a dot that is part of
/// a label. The root is `"."`.
public struct RecordType<Value>: Sendable {
  /// The type's number in the protocol.
  public let number: UInt16
  let read: @Sendable (inout MessageReader) throws(AresError) -> Value

  init(
    _ number: UInt16, _ read: @escaping @Sendable (inout MessageReader) throws(AresError) -> Value
  ) {
    self.number = number
    self.read = read
  }
}

extension RecordType: CustomStringConvertible {
  /// The type's name, such as `"MX"`, or its number, such as `"TYPE52"`.
  public var description: String { RecordNames.all[number] ?? "TYPE\(number)" }
}

private enum RecordNames {
  static let all: [UInt16: String] = [
    1: "A", 2: "NS", 5: "CNAME", 6: "SOA", 12: "PTR", 15: "MX", 16: "TXT", 28: "AAAA", 33: "SRV", 35: "NAPTR",
    257: "CAA",
  ]
}

extension RecordType where Value == SocketAddress {
  /// IPv4 addresses, with the port 0.
  public static var a: Self { address(1, size: 4) }
  /// IPv6 addresses, with the port 0.
  public static var aaaa: Self { address(28, size: 16) }

  private static func address(_ number: UInt16, size: Int) -> Self {
    Self(number) { reader throws(AresError) in
      guard let address = SocketAddress(bytes: try reader.take(size)) else { throw AresError.malformed }
      return address
    }
  }
}

extension RecordType where Value == String {
  /// The name that an alias stands for.
  public static var cname: Self { Self(5) { reader throws(AresError) in try reader.name() } }
  /// The name servers of a zone.
  public static var ns: Self { Self(2) { reader throws(AresError) in try reader.name() } }
  /// The name that stands for an address; ``UV/SocketAddress/reverseName`` is the name to ask for.
  public static var ptr: Self { Self(12) { reader throws(AresError) in try reader.name() } }
}

extension RecordType where Value == [Bytes] {
  /// Texts. A record has several of up to 255 bytes each, which belong together.
  public static var txt: Self {
    Self(16) { reader throws(AresError) in
      var strings: [Bytes] = []
      repeat { strings.append(try reader.string()) } while !reader.isAtEnd
      return strings
    }
  }
}

extension RecordType where Value == MXRecord {
  /// The servers that take a domain's mail.
  public static var mx: Self {
    Self(15) { reader throws(AresError) in
      MXRecord(preference: try reader.integer(), exchange: try reader.name())
    }
  }
}

extension RecordType where Value == SRVRecord {
  /// The servers of a service.
  public static var srv: Self {
    Self(33) { reader throws(AresError) in
      SRVRecord(
        priority: try reader.integer(), weight: try reader.integer(), port: try reader.integer(),
        target: try reader.name())
    }
  }
}

extension RecordType where Value == NAPTRRecord {
  /// The rules by which a name, such as a telephone number, becomes another.
  public static var naptr: Self {
    Self(35) { reader throws(AresError) in
      NAPTRRecord(
        order: try reader.integer(), preference: try reader.integer(), flags: try reader.text(),
        services: try reader.text(), regularExpression: try reader.text(), replacement: try reader.name())
    }
  }
}

extension RecordType where Value == SOARecord {
  /// A zone's statement about itself.
  public static var soa: Self {
    Self(6) { reader throws(AresError) in
      SOARecord(
        primaryServer: try reader.name(), mailbox: try reader.name(), serial: try reader.integer(),
        refresh: try reader.seconds(), retry: try reader.seconds(), expire: try reader.seconds(),
        minimum: try reader.seconds())
    }
  }
}

extension RecordType where Value == CAARecord {
  /// The authorities that may certify a domain.
  public static var caa: Self {
    Self(257) { reader throws(AresError) in
      let flags: UInt8 = try reader.integer()
      return CAARecord(isCritical: flags & 128 != 0, tag: try reader.text(), value: try reader.rest())
    }
  }
}

extension RecordType where Value == Bytes {
  /// The records of any other type, as the server has sent them.
  ///
  /// - Parameter number: The type's number, such as 52 for TLSA.
  public static func other(_ number: UInt16) -> Self {
    Self(number) { reader throws(AresError) in try reader.rest() }
  }
}

extension MessageReader {
  /// A time in seconds.
  fileprivate mutating func seconds() throws(AresError) -> Duration {
    let count: UInt32 = try integer()
    return .seconds(count)
  }
}
