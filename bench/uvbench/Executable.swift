import BenchKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// This program, as a path that can be started again.
enum Executable {
  /// Its path.
  static let path: String = {
    #if os(Linux)
      // The file itself, even when another has taken its place meanwhile.
      return "/proc/\(getpid())/exe"
    #else
      return CommandLine.arguments[0]
    #endif
  }()

  /// What a shell command prints on its first line, or an empty text.
  static func firstLine(of command: String) -> String {
    guard let child = try? ChildProcess(["/bin/sh", "-c", command + " 2>/dev/null; echo"]) else {
      return ""
    }
    let line = try? child.readLine(within: 10)
    child.finish()
    return line ?? ""
  }
}
