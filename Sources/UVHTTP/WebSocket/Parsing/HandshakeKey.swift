#if HTTP || Everything
import UV

/// The key of a handshake, and the answer to it (RFC 6455, 1.3).
enum HandshakeKey {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// A key that nobody can foresee: 16 bytes.
  static func random() -> String {
    base64((0..<16).map { _ in UInt8.random(in: 0...255) })
  }

  /// Whether a key is 16 bytes in Base64.
  static func isValid(_ key: String) -> Bool {
    key.utf8.count == 24 && key.utf8.suffix(2).elementsEqual("==".utf8)
      && key.utf8.prefix(22).allSatisfy { alphabet.contains($0) }
  }

  /// A server's answer to a key.
  static func accept(_ key: String) -> String {
    base64(SHA1.hash((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
  }

  static func base64(_ bytes: [UInt8]) -> String {
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = (0..<3).reduce(0) { $0 << 8 | (start + $1 < bytes.count ? Int(bytes[start + $1]) : 0) }
      for place in 0...group.count {
        text.unicodeScalars.append(Unicode.Scalar(alphabet[bits >> (18 - 6 * place) & 63]))
      }
      text += String(repeating: "=", count: 3 - group.count)
    }
    return text
  }
}

/// SHA-1, for the field `Sec-WebSocket-Accept` (RFC 3174). It is no secret there.
enum SHA1 {
  static func hash(_ message: some Collection<UInt8>) -> [UInt8] {
    var padded = Array(message) + [0x80]
    padded += Array(repeating: 0, count: (120 - padded.count % 64) % 64)
    let bitCount = UInt64(message.count) * 8
    padded += (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> UInt64(56 - 8 * $0)) }
    var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
    for start in stride(from: 0, to: padded.count, by: 64) { add(padded[start..<start + 64], to: &state) }
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) } }
  }

  private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
    func turned(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
    var words = (0..<16).map { index in
      (0..<4).reduce(0 as UInt32) { $0 << 8 | UInt32(block[block.startIndex + 4 * index + $1]) }
    }
    for index in 16..<80 {
      words.append(
        turned(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for index in 0..<80 {
      let (f, k): (UInt32, UInt32) =
        switch index {
        case ..<20: (b & c | ~b & d, 0x5a82_7999)
        case ..<40: (b ^ c ^ d, 0x6ed9_eba1)
        case ..<60: (b & c | b & d | c & d, 0x8f1b_bcdc)
        default: (b ^ c ^ d, 0xca62_c1d6)
        }
      (a, b, c, d, e) = (turned(a, 5) &+ f &+ e &+ k &+ words[index], a, turned(b, 30), c, d)
    }
    for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
  }
}
#endif
