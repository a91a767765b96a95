#if HTTP || Everything
import UV

/// Checks that bytes are UTF-8 while they come, so that a wrong one is noticed at once (RFC 3629, 4).
struct TextCheck {
  /// How many bytes more the character has.
  private var rest = 0
  /// Which bytes may be the next one of the character.
  private var next: ClosedRange<UInt8> = 0x80...0xbf

  /// Whether the last character is complete.
  var isComplete: Bool { rest == 0 }

  /// Looks at the next bytes.
  ///
  /// - Returns: Whether they may be a part of a text.
  mutating func accepts(_ bytes: RawSpan) -> Bool {
    var place = 0
    while place < bytes.byteCount {
      if rest == 0 { skipASCII(bytes, &place) }
      if place == bytes.byteCount { break }
      let byte = bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)
      place += 1
      if rest > 0 {
        guard next.contains(byte) else { return false }
        next = 0x80...0xbf
        rest -= 1
      } else if byte >= 0x80, !begins(byte) {
        return false
      }
    }
    return true
  }

  private func skipASCII(_ bytes: RawSpan, _ place: inout Int) {
    while place + 8 <= bytes.byteCount,
      bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    {
      place += 8
    }
  }

  /// Takes the first byte of a character. No character has a longer form than it needs, is a surrogate, or is beyond
  /// U+10FFFF.
  private mutating func begins(_ byte: UInt8) -> Bool {
    switch byte {
    case 0xc2...0xdf: rest = 1
    case 0xe0: (rest, next) = (2, 0xa0...0xbf)
    case 0xed: (rest, next) = (2, 0x80...0x9f)
    case 0xe1...0xef: rest = 2
    case 0xf0: (rest, next) = (3, 0x90...0xbf)
    case 0xf1...0xf3: rest = 3
    case 0xf4: (rest, next) = (3, 0x80...0x8f)
    default: return false
    }
    return true
  }
}
#endif
