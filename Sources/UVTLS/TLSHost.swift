/// A host that a certificate can be for: a name or an address. This is the one place that decides what is
/// one.
///
/// OpenSSL would take `".example.org"` for any name below it, and the part before a NUL for all of a name.
struct TLSHost {
  /// The name in small letters and without a dot at the end, or the address without its zone: as certificates
  /// have it.
  let text: String
  let isAddress: Bool

  /// - Parameters:
  ///   - host: A name such as `"example.org"` or `"example.org."`, or an address such as `"::1"` or
  ///     `"fe80::1%eth0"`.
  ///   - operation: The operation, for the error.
  /// - Throws: `invalidArgument`.
  init(_ host: String, _ operation: String) throws(UVError) {
    if (try? SocketAddress(host, port: 0)) != nil {
      // A zone says which of this machine's networks leads to an address; no certificate has it.
      text = String(host.prefix { $0 != "%" })
      isAddress = true
      return
    }
    // A dot at the end is the resolver's; no certificate has it.
    text = (host.hasSuffix(".") ? String(host.dropLast()) : host).lowercased()
    isAddress = false
    if !Self.isName(text) { throw Self.refusal(of: host, operation) }
  }

  /// - Parameters:
  ///   - pattern: A name, or a name with `"*"` as its first label, for which a server has an identity.
  ///   - operation: The operation, for the error.
  /// - Throws: `invalidArgument`.
  init(pattern: String, _ operation: String) throws(UVError) {
    if !pattern.hasPrefix("*.") {
      self = try TLSHost(pattern, operation)
      return
    }
    let rest = String(pattern.dropFirst(2))
    guard let name = try? TLSHost(rest, operation), !name.isAddress else {
      throw Self.refusal(of: pattern, operation)
    }
    text = "*." + name.text
    isAddress = false
  }

  /// Labels of 1 to 63 letters, digits, hyphens and underscores, with dots between them, and 253 in all.
  /// Names in other alphabets are written in these letters, as `"xn--…"`.
  private static func isName(_ name: String) -> Bool {
    name.utf8.count <= 253
      && name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
        1...63 ~= $0.count && $0.allSatisfy(isLetter)
      }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func refusal(of host: String, _ operation: String) -> UVError {
    UVError(.invalidArgument, operation: operation, subject: "host \(host.debugDescription)")
  }
}
