// Records of every type are asked of a name server, and a loop connects by it.
import UVDNS

enum RecordsOfAServer: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let server = try loop.udp.bind(host: "127.0.0.1", port: 0)
      server.start { result in
        guard case .success(let datagram?) = result, let reply = answer(Array(datagram.bytes)) else { return }
        server.send(Bytes(reply), to: datagram.address) { _ in }
      }
      var options = DNSResolverOptions()
      options.servers = [try server.localAddress()]
      options.timeout = .milliseconds(20)
      options.tries = 1
      options.searchDomains = ["example.org"]
      options.dots = 1
      options.configuration = "/nowhere"
      print(options.usesTCP, options == DNSResolverOptions())
      let resolver = try DNSResolver(loop, options: options)
      print(resolver.loop === loop, resolver.options == options)

      for address in try await resolver.query("example.org", .a).value {
        print(address.name, address.timeToLive, address.value)
      }
      print(try await resolver.query("example.org", .aaaa).value.map(\.value.host))
      print(try await resolver.query("example.org", .cname).value.map(\.value))
      print(try await resolver.query("example.org", .ns).value == [named("a.b")])
      let address = try SocketAddress("192.0.2.1", port: 0)
      print(address.reverseName, try await resolver.query(address.reverseName, .ptr).value.map(\.value))
      let mail = DNSAnswer(
        name: "example.org", timeToLive: .seconds(9), value: MXRecord(preference: 1, exchange: "a.b"))
      print(
        try await resolver.query("example.org", .mx).value == [mail], mail.value.preference,
        mail.value.exchange)
      let service = SRVRecord(priority: 1, weight: 2, port: 3, target: "a.b")
      print(try await resolver.query("_x._tcp.example.org", .srv).value.map(\.value) == [service])
      print(service.priority, service.weight, service.port, service.target)
      print(try await resolver.query("example", .txt, searches: true).value.map(\.value))
      let rule = NAPTRRecord(
        order: 1, preference: 2, flags: "u", services: "s", regularExpression: "", replacement: "a.b")
      print(try await resolver.query("example.org", .naptr).value.map(\.value) == [rule])
      print(rule.order, rule.preference, rule.flags, rule.services, rule.regularExpression, rule.replacement)
      let zone = SOARecord(
        primaryServer: "a.b", mailbox: "a.b", serial: 1, refresh: .seconds(2), retry: .seconds(3),
        expire: .seconds(4), minimum: .seconds(5))
      print(try await resolver.query("example.org", .soa).value.map(\.value) == [zone])
      print(
        zone.primaryServer, zone.mailbox, zone.serial, zone.refresh, zone.retry, zone.expire, zone.minimum)
      let authority = CAARecord(isCritical: false, tag: "issue", value: "a.b")
      print(try await resolver.query("example.org", .caa).value.map(\.value) == [authority])
      print(authority.isCritical, authority.tag, authority.value)
      print(RecordType<Bytes>.other(52).number, RecordType.mx, RecordType<Bytes>.other(52))

      resolver.query("example.org", .mx) { result in print((try? result.get().count) ?? 0) }
      do throws(UVError) { _ = try await resolver.query("example.org", .other(99)).value } catch {
        print(error.code == .nameServerFailure, error)
      }

      loop.dns.use(resolver)
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let port = try Int(listener.localAddress().port)
      let connection = try await loop.tcp.connect(host: "somewhere.example.org", port: port).value
      print(try connection.peerAddress().host)
      connection.close()
      listener.close()
      print(try await resolver.dns.resolve("somewhere", port: 5).value.contains { $0.host == "127.0.0.1" })
      loop.dns.use(loop.resolver)
      print(try await !loop.dns.resolve("localhost").value.isEmpty)
      loop.dns.use(nil)
      server.close()

      options.tries = 0
      do throws(UVError) { _ = try DNSResolver(loop, options: options) } catch { print(error) }
    }
  }

  private static func named(_ name: String) -> DNSAnswer<String> {
    DNSAnswer(name: "example.org", timeToLive: .seconds(9), value: name)
  }

  /// The message of a server that has one record of each type.
  private static func answer(_ question: [UInt8]) -> [UInt8]? {
    let end = question[12...].firstIndex(of: 0)!
    let name: [UInt8] = [1, 97, 1, 98, 0]
    let data: [UInt8]
    switch UInt16(question[end + 1]) << 8 | UInt16(question[end + 2]) {
    case 1: data = [127, 0, 0, 1]
    case 2, 5, 12: data = name
    case 6: data = name + name + [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5]
    case 15: data = [0, 1] + name
    case 16: data = [2, 104, 105]
    case 28: data = Array(repeating: 0, count: 15) + [1]
    case 33: data = [0, 1, 0, 2, 0, 3] + name
    case 35: data = [0, 1, 0, 2, 1, 117, 1, 115, 0] + name
    case 257: data = [0, 5] + Array("issuea".utf8) + [46, 98]
    default: return nil
    }
    let head = Array(question[0..<2]) + [0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]
    let record =
      [0xC0, 12] + Array(question[(end + 1)...(end + 2)]) + [0, 1, 0, 0, 0, 9, 0, UInt8(data.count)]
    return head + Array(question[12...(end + 4)]) + record + data
  }
}

// Prints:
// false false
// true true
// example.org 9.0 seconds 127.0.0.1:0
// ["::1"]
// ["a.b"]
// true
// 1.2.0.192.in-addr.arpa ["a.b"]
// true 1 a.b
// true
// 1 2 3 a.b
// [[hi]]
// true
// 1 2 u s  a.b
// true
// a.b a.b 1 2.0 seconds 3.0 seconds 4.0 seconds 5.0 seconds
// true
// false issue a.b
// 52 MX TYPE52
// 1
// true query example.org TYPE99: Timeout while contacting DNS servers (EAI_AGAIN)
// 127.0.0.1
// true
// true
// resolver tries 0 (1...100): invalid argument (EINVAL)
