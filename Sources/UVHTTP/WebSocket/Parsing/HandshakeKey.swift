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
#endif
