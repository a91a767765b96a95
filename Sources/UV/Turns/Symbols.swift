import CStack
import CUV

/// The functions at addresses of the program and its libraries, from their symbol tables.
///
/// The dynamic linker (`dladdr`) knows only what a library exports, and nothing of most programs.
struct Symbols {
  struct Symbol {
    let function: String?
    let file: String
    let isOfProgram: Bool
  }

  /// In the order of the addresses.
  private(set) var found: [Symbol] = []

  init(of addresses: [UInt]) {
    let modules = addresses.map(Self.module)
    var names: [String: [UInt: String]] = [:]
    for path in Set(modules.compactMap { $0?.path }) {
      let wanted = zip(addresses, modules).compactMap { address, module in
        module?.path == path ? address &- module!.bias : nil
      }
      names[path] = SymbolTable(path)?.names(of: wanted) ?? [:]
    }
    found = zip(addresses, modules).map { address, module in
      guard let module else { return Symbol(function: nil, file: "?", isOfProgram: false) }
      let name = names[module.path]?[address &- module.bias] ?? Self.exported(address)
      let function = name.map(Self.demangle)
      return Symbol(
        function: function, file: module.path == "/proc/self/exe" ? Self.programPath : module.path,
        isOfProgram: Self.isOfProgram(name, function, module.path))
    }
  }

  private static func module(of address: UInt) -> (path: String, bias: UInt)? {
    var module = cstack_module()
    guard cstack_find_module(uintptr_t(address), &module) else { return nil }
    let path = withUnsafeBytes(of: &module.path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return (path, UInt(module.bias))
  }

  private static func exported(_ address: UInt) -> String? {
    #if os(Linux)
      var place = cuv_place()
      guard cuv_find_place(UnsafeRawPointer(bitPattern: address), &place) != 0, let symbol = place.symbol
      else { return nil }
      return String(cString: symbol)
    #else
      return nil
    #endif
  }

  /// The program's path, as the system knows it.
  private static var programPath: String {
    var length = 4096
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: length) { path in
      uv_exepath(path.baseAddress, &length) == 0 ? String(cString: path.baseAddress!) : "the program"
    }
  }

  private static func demangle(_ name: String) -> String {
    guard let result = cstack_demangle(name, name.utf8.count) else { return name }
    defer { free(result) }
    return String(cString: result)
  }

  /// Whether a function is the program's own. Swift's library and this one leave copies of generic functions in the
  /// program.
  private static func isOfProgram(_ name: String?, _ function: String?, _ path: String) -> Bool {
    let file = path.split(separator: "/").last ?? ""
    let libraries = [
      "libc.", "libc-", "libm.", "libpthread", "libgcc", "libstdc++", "ld-", "linux-vdso", "libdispatch",
      "libBlocks",
      "libswift", "libFoundation", "lib_Foundation", "libuv.",
    ]
    if libraries.contains(where: { file.hasPrefix($0) }) { return false }
    guard let name, let function else { return true }
    // A function that the program adds to a type of a library.
    if function.contains("(extension in ") {
      return !["Swift", "UV"].contains { function.contains("(extension in \($0))") }
    }
    // The functions that sanitizers add to a program are not its own either.
    let prefixes = [
      "$sS", "$ss", "$s2UV", "$s10UVPromises", "$s9UVFutures", "$s5UVTLS", "uv_", "uv__", "swift_", "__asan_",
      "__tsan_", "__interceptor_",
    ]
    return !prefixes.contains { name.hasPrefix($0) }
  }
}

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
    guard let bytes = cstack_map_file(path, &size) else { return nil }
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

  deinit { cstack_unmap_file(bytes, size) }

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
