// Digests by swift-crypto beside a loop: `FileDigest FILE PASSWORD`.
// The article "Digests, signatures and passwords" of UV shows this program.
import Crypto
import CryptoExtras
import Foundation
import UV

/// The digest of a file, however large, with 256 KiB of it in memory.
func digest(of path: String, _ loop: EventLoop) async throws -> SHA256Digest {
  let file = try await loop.files.open(path).value
  defer { file.close() }
  var hash = SHA256()
  while true {
    let bytes = try await file.read(256 << 10).value
    if bytes.isEmpty { return hash.finalize() }
    bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
  }
}

/// A text that only somebody with the key can have made, for a URL or a cookie, and the check of one.
struct Signer {
  let key: SymmetricKey

  func sign(_ text: String) -> String {
    let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
    return "\(Data(code).base64EncodedString()).\(text)"
  }

  /// The text; nil if it is another one than was signed.
  func text(of signed: String) -> String? {
    let parts = signed.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let code = Data(base64Encoded: String(parts[0])) else { return nil }
    // Takes the same time wherever the first wrong byte is.
    let isRight = HMAC<SHA256>.isValidAuthenticationCode(
      code, authenticating: Data(parts[1].utf8), using: key)
    return isRight ? String(parts[1]) : nil
  }
}

/// What is stored of a password: 16 random bytes and the key that is derived with them.
struct StoredPassword: Sendable {
  let salt: [UInt8]
  let key: SymmetricKey

  static func storing(_ password: String, _ loop: EventLoop) async throws -> StoredPassword {
    let salt = Array(try await loop.random(16).value)
    return StoredPassword(salt: salt, key: try await derive(password, salt, loop))
  }

  func isRight(_ password: String, _ loop: EventLoop) async throws -> Bool {
    // The comparison of two keys takes the same time wherever they differ.
    try await Self.derive(password, salt, loop) == key
  }

  /// This takes a tenth of a second by intention. The thread pool does it, so that the loop goes on.
  private static func derive(_ password: String, _ salt: [UInt8], _ loop: EventLoop) async throws
    -> SymmetricKey
  {
    let result = try await loop.work {
      Result {
        try KDF.Insecure.PBKDF2.deriveKey(
          from: Array(password.utf8), salt: salt, using: .sha256, outputByteCount: 32, rounds: 600_000)
      }
    }.value
    return try result.get()
  }
}

@main struct FileDigest {
  static func main() {
    let words = CommandLine.arguments
    EventLoop.main { loop in
      print(try await digest(of: words[1], loop).description)
      let signer = Signer(key: SymmetricKey(size: .bits256))
      let cookie = signer.sign("user=1")
      print(
        signer.text(of: cookie) ?? "nil", signer.text(of: cookie + "0") ?? "nil",
        signer.text(of: "AAAA.user=1") ?? "nil")
      let stored = try await StoredPassword.storing(words[2], loop)
      print(try await stored.isRight(words[2], loop), try await stored.isRight(words[2] + "x", loop))
    }
  }
}
