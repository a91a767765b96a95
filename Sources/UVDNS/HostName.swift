import CAres

/// Names as the protocol has them.
enum HostName {
  /// A name in ASCII. Labels of other letters are encoded by Punycode (RFC 3492), in lower case, as browsers
  /// do.
  static func encoded(_ name: String) throws(AresError) -> String {
    if name.isEmpty { throw AresError(CARES_BADQUERY, "the name is empty") }
    if name.utf8.contains(0) { throw AresError(CARES_BADQUERY, "the name has a NUL in it") }
    // Encoding takes the square of the length, and no name is that long.
    if name.utf8.count > 1024 { throw AresError(CARES_BADNAME) }
    if name.utf8.allSatisfy({ $0 < 128 }) { return name }
    // East Asian full stops separate labels, too.
    let labels = name.unicodeScalars.split(
      omittingEmptySubsequences: false,
      whereSeparator: { ".\u{3002}\u{FF0E}\u{FF61}".unicodeScalars.contains($0) })
    return labels.map { label in
      if label.allSatisfy(\.isASCII) { return String(label) }
      return "xn--" + punycode(String(label).lowercased())
    }.joined(separator: ".")
  }

  private static func punycode(_ label: String) -> String {
    let scalars = label.unicodeScalars.map(\.value)
    var output = String(String.UnicodeScalarView(label.unicodeScalars.filter(\.isASCII)))
    let basic = output.unicodeScalars.count
    if basic > 0 { output += "-" }
    var (code, delta, bias, handled): (UInt32, Int, Int, Int) = (128, 0, 72, basic)
    while handled < scalars.count {
      let next = scalars.lazy.filter { $0 >= code }.min()!
      delta += Int(next - code) * (handled + 1)
      code = next
      for scalar in scalars {
        if scalar < code { delta += 1 }
        guard scalar == code else { continue }
        append(delta, bias, to: &output)
        bias = adapted(delta, handled + 1, isFirst: handled == basic)
        delta = 0
        handled += 1
      }
      delta += 1
      code += 1
    }
    return output
  }

  /// Writes a number in digits whose weights depend on the bias.
  private static func append(_ number: Int, _ bias: Int, to output: inout String) {
    var rest = number
    var place = 36
    while true {
      let threshold = min(max(place - bias, 1), 26)
      if rest < threshold { break }
      output.unicodeScalars.append(digit(threshold + (rest - threshold) % (36 - threshold)))
      rest = (rest - threshold) / (36 - threshold)
      place += 36
    }
    output.unicodeScalars.append(digit(rest))
  }

  private static func digit(_ value: Int) -> UnicodeScalar {
    UnicodeScalar(UInt8(value < 26 ? 97 + value : 22 + value))
  }

  private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / 700 : delta / 2
    delta += delta / count
    var place = 0
    while delta > 455 {
      delta /= 35
      place += 36
    }
    return place + 36 * delta / (delta + 38)
  }
}

extension SocketAddress {
  /// The name whose ``RecordType/ptr`` records name the address, such as `"1.2.0.192.in-addr.arpa"`.
  ///
  /// The corresponding function of c-ares is `ares_gethostbyaddr`.
  public var reverseName: String {
    if !isIPv6 { return bytes.reversed().map { "\($0)" }.joined(separator: ".") + ".in-addr.arpa" }
    let digits = bytes.reversed().flatMap { [$0 & 15, $0 >> 4] }
    return digits.map { String($0, radix: 16) }.joined(separator: ".") + ".ip6.arpa"
  }
}
