#if Everything
import Testing
import UVTestSupport

@testable import UVDNS

/// Names of other letters than ASCII's, as RFC 3492 encodes them.
@Suite struct PunycodeTests {
  /// The samples of RFC 3492, 7.1, in small letters.
  private static let samples: [(name: String, encoded: String)] = [
    ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"),
    ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
    ("他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"),
    ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"),
    ("यहलोगहिन्दीक्योंनहींबोलसकतेहैं", "i1baa7eci9glrd9b2ae1bj0hfcgg6iyaf8o0a1dig0cd"),
    ("なぜみんな日本語を話してくれないのか", "n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"),
    ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
    ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"),
    ("ひとつ屋根の下2", "2-u9tlzr9756bt3uc0v"),
    ("そのスピードで", "d9juau41awczczp"),
    ("パフィーdeルンバ", "de-jg4avhby1noc0d"),
    ("bücher", "bcher-kva"), ("fußgänger", "fugnger-1va0c"), ("münchen", "mnchen-3ya"),
    ("ü", "tda"), ("üü", "tdaa"), ("aü", "a-eha"), ("üa", "a-dha"), ("ααα", "mxaaa"), ("-ü-", "---xka"),
    ("😀", "e28h"), ("a😀b", "ab-no82a"),
  ]

  @Test("The samples of RFC 3492 are encoded, alone and among other labels", arguments: samples.map(\.name))
  func sample(name: String) throws {
    let encoded = "xn--" + Self.samples.first { $0.name == name }!.encoded
    #expect(Self.decoded(String(encoded.dropFirst(4))) == name, "the sample itself")
    #expect(try HostName.encoded(name) == encoded)
    #expect(try HostName.encoded("www.\(name).example.") == "www.\(encoded).example.")
    #expect(try HostName.encoded("\(name)\u{3002}\(name)\u{FF0E}x\u{FF61}y") == "\(encoded).\(encoded).x.y")
  }

  @Test("What is encoded can be decoded, whatever letters there are", arguments: 1...8)
  func decoding(seed: UInt64) throws {
    let draws = Draws(seed)
    let letters = Array("abcz019-_üßñéαωяשع中語한🦊".unicodeScalars)
    for _ in 0..<200 {
      // Many letters of one kind, or of all.
      let few = (0...draws.draw(4)).map { _ in draws.one(of: letters) }
      var label = String.UnicodeScalarView()
      for _ in 0...draws.draw(20) { label.append(draws.one(of: draws.draw(2) == 0 ? few : letters)) }
      let name = String(label)
      let encoded = try HostName.encoded(name)
      if label.allSatisfy(\.isASCII) {
        #expect(encoded == name)
      } else {
        #expect(encoded.hasPrefix("xn--") && encoded.utf8.allSatisfy { $0 < 128 })
        #expect(Self.decoded(String(encoded.dropFirst(4))) == name.lowercased(), "\(name)")
      }
    }
  }

  @Test func `A name of ASCII's letters stays as it is, and its length has a limit`() throws {
    for name in ["example.org", "EXAMPLE.org.", "_imap._tcp.example.org", "a..b", ".", "xn--bcher-kva"] {
      #expect(try HostName.encoded(name) == name)
    }
    #expect(try HostName.encoded(String(repeating: "a", count: 1024)).count == 1024)
    #expect(throws: AresError.self) { try HostName.encoded(String(repeating: "a", count: 1025)) }
    for name in ["", "\0", "ü\0", "a\0b"] {
      #expect(throws: AresError.self) { try HostName.encoded(name) }
    }
  }

  @Test func `An address is asked for backwards`() throws {
    for (address, name) in [
      ("192.0.2.1", "1.2.0.192.in-addr.arpa"), ("0.0.0.0", "0.0.0.0.in-addr.arpa"),
      ("255.254.9.10", "10.9.254.255.in-addr.arpa"),
      ("::1", "1" + String(repeating: ".0", count: 31) + ".ip6.arpa"),
      (
        "2001:db8::567:89ab",
        "b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"
      ),
    ] {
      #expect(try SocketAddress(address, port: 80).reverseName == name)
    }
  }

  /// Decodes as RFC 3492, 6.2, says, by nothing of the encoder's.
  private static func decoded(_ text: String) -> String {
    var output: [UInt32] = []
    var input = Array(text.unicodeScalars.map(\.value))
    if let dash = input.lastIndex(of: 45) {
      output = Array(input[..<dash])
      input = Array(input[(dash + 1)...])
    }
    var (n, i, bias, place) = (128, 0, 72, 0)
    while place < input.count {
      let old = i
      var (weight, k) = (1, 36)
      while true {
        // Something else than an encoder has written.
        guard place < input.count, i < 1 << 30, weight < 1 << 30 else { return "no name" }
        let code = Int(input[place])
        let digit = code >= 97 ? code - 97 : code - 48 + 26
        place += 1
        i += digit * weight
        let threshold = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias
        if digit < threshold { break }
        weight *= 36 - threshold
        k += 36
      }
      let count = output.count + 1
      var delta = old == 0 ? (i - old) / 700 : (i - old) / 2
      delta += delta / count
      var shift = 0
      while delta > 455 {
        delta /= 35
        shift += 36
      }
      bias = shift + 36 * delta / (delta + 38)
      n += i / count
      i %= count
      output.insert(UInt32(n), at: i)
      i += 1
    }
    return String(String.UnicodeScalarView(output.compactMap(UnicodeScalar.init)))
  }
}
#endif
