import CStallWatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

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
    var module = stall_module()
    guard stall_find_module(uintptr_t(address), &module) else { return nil }
    let path = withUnsafeBytes(of: &module.path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return (path, UInt(module.bias))
  }

  private static func exported(_ address: UInt) -> String? {
    stall_exported_name(uintptr_t(address)).map { String(cString: $0) }
  }

  /// The program's path, as the system knows it.
  private static var programPath: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { path in
      let length = readlink("/proc/self/exe", path.baseAddress!, 4095)
      if length < 0 { return "the program" }
      path[length] = 0
      return String(cString: path.baseAddress!)
    }
  }

  private static func demangle(_ name: String) -> String {
    guard let result = stall_demangle(name, name.utf8.count) else { return name }
    defer { free(result) }
    return String(cString: result)
  }

  /// Modules that are linked into a program and aren't its own.
  private static let libraryModules = [
    "UV", "UVPromises", "UVFutures", "UVRxStream", "UVTLS", "UVDNS", "UVHTTP", "UVHTTPFiles",
    "UVHTTPCompression", "UVService", "UVDiagnostics", "UVNIO", "UVStalls", "StallWatch", "NIOCore",
    "NIOPosix",
  ]

  /// Whether a function is the program's own. Swift's library and this one leave copies of generic functions
  /// in the program.
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
      return !(["Swift"] + libraryModules).contains { function.contains("(extension in \($0))") }
    }
    // The functions that sanitizers add to a program are not its own either.
    let prefixes =
      ["$sS", "$ss", "uv_", "uv__", "swift_", "__asan_", "__tsan_", "__interceptor_"]
      + libraryModules.map { "$s\($0.utf8.count)\($0)" }
    return !prefixes.contains { name.hasPrefix($0) }
  }
}
