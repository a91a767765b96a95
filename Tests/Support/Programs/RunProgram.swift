public import Foundation

/// Runs a program to its end; what it wrote to both of its streams, and its status.
@discardableResult
public func runProgram(_ program: URL, _ arguments: [String] = [], in directory: URL? = nil) throws -> (
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
