import Foundation

/// The checkout that the tests were built from, and what was built from it.
enum Checkout {
  /// The package's root.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The program that the package's target of this name was built to, beside the running tests.
  static func program(_ name: String) throws -> URL {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name)
  }

  /// The options by which the compiler finds the modules that were built with the tests.
  static func moduleArguments() throws -> [String] {
    let products = try program("")
    let all = [
      root.appendingPathComponent("CModules"), root.appendingPathComponent(".build/checkouts"), products,
    ]
    .flatMap { folder in
      let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      return (files?.allObjects as? [URL] ?? []).filter { $0.lastPathComponent == "module.modulemap" }
    }
    // Plugins are built with copies of their own.
    let maps = all.filter {
      $0.path.firstMatch(of: /CModules|\/Sources\/\w+\/include\/|\w\.build\/module/) != nil
    }
    return ["-I", products.appendingPathComponent("Modules").path]
      + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
  }

  /// The package's Swift files below a folder.
  static func sources(_ folder: String) -> [URL] {
    let files = FileManager.default.enumerator(
      at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
    return (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
  }

  /// Compiles a program against the modules that the tests were built with; what the compiler said.
  static func compile(_ text: String, _ options: [String]) throws -> (output: String, status: Int32) {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("swift-uv-compile-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let source = directory.appendingPathComponent("main.swift")
    try text.write(to: source, atomically: true, encoding: .utf8)
    let headers = [
      try program("Modules"), root.appendingPathComponent("CModules/CUV"),
      root.appendingPathComponent("CModules/CStallWatch/include"),
      root.appendingPathComponent(".build/checkouts/swift-system/Sources/CSystem/include"),
    ]
    return try runProgram(
      URL(fileURLWithPath: "/usr/bin/env"),
      ["swiftc", "-c", source.path, "-o", directory.appendingPathComponent("main.o").path]
        + headers.flatMap { ["-I", $0.path] } + options)
  }
}
