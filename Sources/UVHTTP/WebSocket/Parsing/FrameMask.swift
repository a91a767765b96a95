#if HTTP || Everything
import UV

/// The mask of a frame's payload (RFC 6455, 5.3). It is put on and taken off in the same way, eight bytes at a
/// time.
struct FrameMask: Equatable {
  /// Whether there is a mask. A key may be zero.
  let isUsed: Bool
  /// The key twice. The lowest byte is for the next byte of the payload.
  private var word: UInt64

  /// No mask: the payload of a server's frame.
  init() { (isUsed, word) = (false, 0) }

  /// - Parameter key: The first byte of the key is the lowest.
  init(_ key: UInt32) { (isUsed, word) = (true, UInt64(key) << 32 | UInt64(key)) }

  /// A mask that nobody can foresee (RFC 6455, 10.3).
  static func random() -> FrameMask { FrameMask(UInt32.random(in: 0...UInt32.max)) }

  var key: UInt32 { UInt32(truncatingIfNeeded: word) }

  /// Appends the next bytes of the payload, with the mask put on or taken off.
  mutating func append(_ bytes: UnsafeRawBufferPointer, to builder: inout BytesBuilder) {
    if !isUsed { return builder.append(bytes) }
    builder.append(unsafeUninitializedCapacity: bytes.count) { apply(bytes, $0) }
  }

  /// The next bytes of the payload, with the mask taken off.
  mutating func removed(from bytes: Bytes) -> Bytes {
    if !isUsed { return bytes }
    return bytes.withUnsafeBytes { source in
      Bytes(unsafeUninitializedCapacity: source.count) { apply(source, $0) }
    }
  }

  /// - Parameter target: It has room for as many bytes as there are.
  private mutating func apply(
    _ source: UnsafeRawBufferPointer, _ target: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    // Sound: each place is below `source.count`, for which the target has room.
    let target = UnsafeMutableRawBufferPointer(target)
    let mask = word.littleEndian
    var place = 0
    while place + 8 <= source.count {
      let masked = source.loadUnaligned(fromByteOffset: place, as: UInt64.self) ^ mask
      target.storeBytes(of: masked, toByteOffset: place, as: UInt64.self)
      place += 8
    }
    while place < source.count {
      target[place] = source[place] ^ UInt8(truncatingIfNeeded: word >> UInt64(8 * (place & 7)))
      place += 1
    }
    let turn = UInt64(8 * (source.count & 3))
    if turn > 0 { word = word >> turn | word << (64 - turn) }
    return source.count
  }
}
#endif
