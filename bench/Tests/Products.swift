import Testing

@testable import BenchHarness

/// The programs of this package, beside the program that runs the tests.
enum Products {
  static let directory: String = {
    var path = CommandLine.arguments[0]
    #if os(Linux)
      var buffer = [CChar](repeating: 0, count: 4096)
      let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
      path = String(decoding: buffer[..<max(length, 0)].map(UInt8.init(bitPattern:)), as: UTF8.self)
    #endif
    while !path.isEmpty {
      path = path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
      if access(path + "/bench-example", X_OK) == 0 { return path }
    }
    return "."
  }()

  /// What a program printed and ended with.
  struct Output {
    var code: Int32
    var lines: [String]
    var text: String { lines.joined(separator: "\n") }
  }

  /// The checkout's folder, where every program finds its files.
  static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

  /// Runs a shell command in the checkout's folder, in which `$UVBENCH` and `$EXAMPLE` are the programs, with
  /// both of its streams in one.
  static func shell(_ script: String) throws -> Output {
    let child = try ChildProcess(
      ["/bin/bash", "-c", "exec 2>&1; cd '\(root)'; " + script],
      environment: [
        "UVBENCH": directory + "/uvbench", "EXAMPLE": directory + "/bench-example",
      ])
    var lines: [String] = []
    let code = try child.drain { lines.append($0) }
    return Output(code: code, lines: lines)
  }

  /// A worker of `uvbench`, which ends with `body`.
  static func withWorker<T>(_ body: (WorkerProcess) throws -> T) throws -> T {
    try withDirectory { path in
      let worker = try WorkerProcess(
        command: [directory + "/uvbench", "worker", "--parent", "\(getpid())", "--directory", path])
      defer { worker.finish() }
      return try body(worker)
    }
  }

  /// A directory that is removed when `body` returns.
  static func withDirectory<T>(_ body: (String) throws -> T) throws -> T {
    var template = Array("/tmp/bench-tests-XXXXXX".utf8CString)
    let path = template.withUnsafeMutableBufferPointer {
      mkdtemp($0.baseAddress!).map { String(cString: $0) }
    }
    let directory = try #require(path)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    return try body(directory)
  }
}
