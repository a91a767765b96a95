// A file that imports promises and name resolution: a promise's resolver, and a resolver of names.
import UV
import UVDNS
import UVPromises

private func addresses(_ loop: EventLoop, _ names: DNSResolver, _ seal: Resolver<[String]>) {
  names.dns.resolve("127.0.0.1", port: 80) { result in seal.resolve(result.map { $0.map(\.host) }) }
}

enum ResolversOfBothKinds: Program {
  static func main() throws {
    try EventLoop.run { loop in
      print(try await Promise { addresses(loop, loop.resolver, $0) }.async())
    }
  }
}

// Prints:
// ["127.0.0.1"]
