import CStallWatch

/// The symbol table of an ELF file of 64 bits.
final class SymbolTable {
  private let bytes: UnsafeRawPointer
  private let size: Int
  /// Where the symbols and their names are.
  private var symbols = 0..<0
  private var names = 0..<0

  /// Returns nil if the file can't be read, or has no symbols.
  init?(_ path: String) {
    var size = 0
    // Sound: a file that is part of the running program isn't cut short.
    guard let bytes = stall_map_file(path, &size) else { return nil }
    (self.bytes, self.size) = (bytes, size)
    // A 64-bit file of this machine's byte order.
    guard number(0, UInt32.self) == 0x464C_457F, number(4, UInt8.self) == 2 else { return nil }
    let (start, step, count) = (
      Int(number(0x28, UInt64.self)), Int(number(0x3A, UInt16.self)), Int(number(0x3C, UInt16.self))
    )
    func section(_ index: Int) -> (kind: UInt32, range: Range<Int>, link: Int) {
      let header = start + index * step
      let (offset, length) = (
        Int(number(header + 0x18, UInt64.self)), Int(number(header + 0x20, UInt64.self))
      )
      return (
        number(header + 4, UInt32.self), offset..<max(offset, min(offset + length, size)),
        Int(number(header + 0x28, UInt32.self))
      )
    }
    // The full table, or else that of what is exported.
    for kind in [2, 11] as [UInt32] {
      guard let found = (0..<count).map(section).first(where: { $0.kind == kind }) else { continue }
      (symbols, names) = (found.range, section(found.link).range)
      return
    }
    return nil
  }

  deinit { stall_unmap_file(bytes, size) }

  private func number<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _: T.Type) -> T {
    offset >= 0 && offset + MemoryLayout<T>.size <= size
      ? bytes.loadUnaligned(fromByteOffset: offset, as: T.self) : 0
  }

  /// The names of the functions at addresses of the file. It reads the table once.
  func names(of addresses: [UInt]) -> [UInt: String] {
    guard let lowest = addresses.min(), let highest = addresses.max() else { return [:] }
    var names: [UInt: String] = [:]
    for symbol in stride(from: symbols.lowerBound, to: symbols.upperBound - 23, by: 24) {
      let start = UInt(bytes.loadUnaligned(fromByteOffset: symbol + 8, as: UInt64.self))
      // Most are elsewhere. Functions have kind 2.
      guard start <= highest, start &+ UInt(number(symbol + 16, UInt64.self)) > lowest,
        number(symbol + 4, UInt8.self) & 0xF == 2
      else { continue }
      let size = UInt(number(symbol + 16, UInt64.self))
      for address in addresses where address &- start < size {
        names[address] = name(at: Int(number(symbol, UInt32.self)))
      }
    }
    return names
  }

  private func name(at offset: Int) -> String? {
    let start = names.lowerBound + offset
    guard names.contains(start) else { return nil }
    return String(cString: (bytes + start).assumingMemoryBound(to: CChar.self))
  }
}
