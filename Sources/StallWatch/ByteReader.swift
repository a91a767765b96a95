/// Reads numbers from memory, one after the other.
struct ByteReader {
  private(set) var position: UnsafeRawPointer

  init(_ position: UnsafeRawPointer) { self.position = position }

  private mutating func take<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type) -> T {
    let value = position.loadUnaligned(as: T.self)
    position += MemoryLayout<T>.size
    return value
  }

  mutating func byte() -> UInt8 { take(UInt8.self) }
  mutating func uint16() -> UInt16 { take(UInt16.self) }
  mutating func uint32() -> UInt32 { take(UInt32.self) }
  mutating func int32() -> Int32 { take(Int32.self) }
  mutating func skip(_ count: Int) { position += count }

  /// A number in LEB128, without a sign.
  mutating func unsigned() -> UInt {
    var (value, shift): (UInt, UInt) = (0, 0)
    while true {
      let part = byte()
      value |= UInt(part & 0x7F) << shift
      if part & 0x80 == 0 { return value }
      shift += 7
    }
  }

  /// A number in LEB128, with a sign.
  mutating func signed() -> Int {
    var (value, shift): (Int, Int) = (0, 0)
    while true {
      let part = byte()
      value |= Int(part & 0x7F) << shift
      shift += 7
      if part & 0x80 != 0 { continue }
      return part & 0x40 != 0 && shift < Int.bitWidth ? value | (-1 << shift) : value
    }
  }

  /// A pointer in one of the kinds of exception tables; nil if its kind is unknown. An indirect pointer isn't
  /// followed.
  mutating func pointer(_ kind: UInt8) -> UInt? {
    let start = UInt(bitPattern: position)
    let value: UInt
    switch kind & 0x0F {
    case 0x00, 0x04, 0x0C: value = UInt(take(UInt64.self))
    case 0x01: value = unsigned()
    case 0x02: value = UInt(uint16())
    case 0x03: value = UInt(uint32())
    case 0x09: value = UInt(bitPattern: signed())
    case 0x0A: value = UInt(bitPattern: Int(take(Int16.self)))
    case 0x0B: value = UInt(bitPattern: Int(int32()))
    default: return nil
    }
    switch kind & 0x70 {
    case 0x00: return value
    case 0x10: return start &+ value
    default: return nil
    }
  }
}
