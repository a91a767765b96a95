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

  /// The package's Swift files below a folder.
  static func sources(_ folder: String) -> [URL] {
    let files = FileManager.default.enumerator(
      at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
    return (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
  }
}

/// Runs a program to its end; what it printed, and how it ended.
func run(_ program: URL, _ arguments: [String] = [], in directory: URL? = nil) throws -> (
  output: String, status: Int32
) {
  let process = Process()
  process.executableURL = program
  process.arguments = arguments
  process.currentDirectoryURL = directory
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = pipe
  try process.run()
  let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  return (String(decoding: output, as: UTF8.self), process.terminationStatus)
}
