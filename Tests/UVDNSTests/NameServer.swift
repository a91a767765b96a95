import UVDNS

/// A name server of a test's own, by UDP and by TCP at the same port.
final class NameServer {
  /// A question that somebody has asked.
  struct Question: Hashable {
    var name: String
    var type: UInt16
    var isByTCP: Bool
  }

  enum Reply {
    /// Records of the name: of the type that was asked for, unless there is another.
    case records([Bytes], type: UInt16? = nil)
    /// An alias, and a record of the name that it stands for.
    case alias(String, Bytes)
    /// An error of the protocol, such as 3 for a name that isn't there.
    case error(UInt8)
    /// Nothing, with the sign that it has had no room.
    case truncated
    /// Something else, made of the message that would be right.
    case other(Bytes, (inout [UInt8]) -> Void)
    /// None.
    case silence
  }

  private let socket: UDPSocket
  private let listener: TCPListener
  private let answer: (Question) -> Reply
  /// What has been asked, in order.
  private(set) var questions: [Question] = []

  let address: SocketAddress

  init(_ loop: EventLoop, _ answer: @escaping (Question) -> Reply) throws(UVError) {
    (socket, listener) = try Self.bind(loop)
    self.answer = answer
    address = try socket.localAddress()
    socket.start { [weak self] result in
      guard let self, case .success(let datagram?) = result else { return }
      guard let reply = self.reply(to: Array(datagram.bytes), isByTCP: false) else { return }
      self.socket.send(reply, to: datagram.address) { _ in }
    }
    listener.start { [weak self] result in
      if let self, case .success(let connection?) = result { self.serve(connection) }
    }
  }

  /// A socket and a listener at one port.
  private static func bind(_ loop: EventLoop) throws(UVError) -> (UDPSocket, TCPListener) {
    for _ in 0..<100 {
      let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
      do throws(UVError) {
        return (socket, try loop.tcp.listen(host: "127.0.0.1", port: Int(try socket.localAddress().port)))
      } catch { socket.close() }
    }
    throw UVError(.addressInUse, operation: "bind")
  }

  private func serve(_ connection: TCPConnection) {
    connection.read(exactly: 2) { [weak self] result in
      guard let self, case .success(let head?) = result else { return Self.end(connection) }
      connection.read(exactly: Int(head[0]) << 8 | Int(head[1])) { result in
        guard case .success(let bytes?) = result, let reply = self.reply(to: Array(bytes), isByTCP: true)
        else { return Self.end(connection) }
        var message = BytesBuilder()
        message.append(bigEndian: UInt16(reply.count))
        message.append(reply)
        connection.write(message.takeBytes()) { _ in self.serve(connection) }
      }
    }
  }

  private static func end(_ connection: TCPConnection) { connection.close() }

  func close() {
    socket.close()
    listener.close()
  }

  /// A resolver that asks this server alone.
  func resolver(
    tries: Int = 1, timeout: Duration = .seconds(20), _ change: (inout DNSResolverOptions) -> Void = { _ in }
  ) throws(UVError) -> DNSResolver {
    var options = DNSResolverOptions()
    options.servers = [address]
    options.tries = tries
    options.timeout = timeout
    options.searchDomains = []
    change(&options)
    return try DNSResolver(socket.loop, options: options)
  }

  private func reply(to bytes: [UInt8], isByTCP: Bool) -> Bytes? {
    // The head has 12 bytes, and the name ends with an empty label.
    var place = 12
    var labels: [String] = []
    while bytes[place] != 0 {
      labels.append(String(decoding: bytes[(place + 1)...(place + Int(bytes[place]))], as: UTF8.self))
      place += Int(bytes[place]) + 1
    }
    let type = UInt16(bytes[place + 1]) << 8 | UInt16(bytes[place + 2])
    let question = Question(name: labels.joined(separator: "."), type: type, isByTCP: isByTCP)
    questions.append(question)
    let head = Array(bytes[0..<2])
    let asked = Array(bytes[12..<(place + 5)])
    func message(_ flags: [UInt8], _ records: [[UInt8]] = []) -> [UInt8] {
      head + flags + [0, 1, 0, UInt8(records.count), 0, 0, 0, 0] + asked + records.flatMap { $0 }
    }
    // A name is the one that was asked for, which stands after the head.
    func record(_ type: UInt16, _ data: Bytes, name: [UInt8] = [0xC0, 12]) -> [UInt8] {
      name + [UInt8(type >> 8), UInt8(type & 255), 0, 1, 0, 0, 0, 60]
        + [UInt8(data.count >> 8), UInt8(data.count & 255)] + Array(data)
    }
    switch answer(question) {
    case .records(let records, let other):
      return Bytes(message([0x81, 0x80], records.map { record(other ?? type, $0) }))
    case .alias(let name, let data):
      let records = [record(5, Self.name(name)), record(type, data, name: Array(Self.name(name)))]
      return Bytes(message([0x81, 0x80], records))
    case .error(let code): return Bytes(message([0x81, 0x80 | code]))
    case .truncated: return Bytes(message([0x83, 0x80]))
    case .other(let data, let change):
      var bytes = message([0x81, 0x80], [record(type, data)])
      change(&bytes)
      return Bytes(bytes)
    case .silence: return nil
    }
  }

  /// A name as the protocol has it.
  static func name(_ name: String) -> Bytes {
    Bytes(name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0])
  }

  /// Bytes with their number before them.
  static func string(_ text: String) -> Bytes { Bytes([UInt8(text.utf8.count)] + Array(text.utf8)) }
}

/// Bytes one after the other.
func joined(_ parts: Bytes...) -> Bytes { Bytes(parts.flatMap { Array($0) }) }
