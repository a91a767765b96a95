// Names are resolved to addresses, and addresses to names.
import UV

enum NamesAndAddresses: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let addresses = try await loop.dns.resolve("localhost", port: 80).value
      print(
        addresses.contains { $0.host == "127.0.0.1" || $0.host == "::1" },
        addresses.allSatisfy { $0.port == 80 })
      let address = try SocketAddress("127.0.0.1", port: 8080)
      print(address, address.with(port: 9), address.isIPv6)
      print(try SocketAddress("::1", port: 443), try SocketAddress("::1", port: 443).isIPv6)
      let options: NameInfoOptions = [.numericHost, .numericService]
      let info = try await loop.dns.nameInfo(of: address, options: options).value
      print(info.host, info.service, info == NameInfo(host: "127.0.0.1", service: "8080"))
      print(options.contains(.nameRequired), options.contains(.datagram), options.rawValue != 0)
      print(code(of: try SocketAddress("localhost", port: 1)) == .invalidArgument)
      print(code(of: try SocketAddress("127.0.0.1", port: 65536)) == .invalidArgument)
      loop.dns.resolve("127.0.0.1") { result in print((try? result.get().count) ?? 0 > 0) }
    }
  }
}

// Prints:
// true true
// 127.0.0.1:8080 127.0.0.1:9 false
// [::1]:443 true
// 127.0.0.1 8080 true
// false false true
// true
// true
// true
