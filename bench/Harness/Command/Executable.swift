/// This program, as a path that can be started again.
public enum Executable {
  public static let path: String = {
    #if os(Linux)
      var buffer = [CChar](repeating: 0, count: 4096)
      let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
      let path = String(decoding: buffer[..<max(length, 0)].map(UInt8.init(bitPattern:)), as: UTF8.self)
      // A new build may have taken its place meanwhile; the kernel still has the old one.
      return access(path, X_OK) == 0 ? path : "/proc/\(getpid())/exe"
    #else
      let path = CommandLine.arguments[0]
      guard path.contains("/"), !path.hasPrefix("/") else { return path }
      return FileManager.default.currentDirectoryPath + "/" + path
    #endif
  }()

  static var generator: LoadGenerator.Place { .here([path, "generate"]) }

  /// What to put before a command so that it ends when this process does.
  static var attended: [String] { [path, "attend", "\(getpid())"] }

  /// Runs a command, which ends when this process does, and passes on its lines. It is an error if the
  /// command fails.
  static func run(_ command: [String], _ line: (String) -> Void) throws {
    let child = try ChildProcess(attended + ["/usr/bin/env"] + command)
    let code = try child.drain(line)
    guard code == 0 else { throw UsageError("`\(command.joined(separator: " "))` ended with code \(code)") }
  }

  /// What a command prints on its first line within so many seconds, or an empty text.
  static func firstLine(of command: [String], within seconds: Double = 10) -> String {
    firstLine(of: ShellWord.command(command), within: seconds)
  }

  /// What a shell command prints on its first line within so many seconds, or an empty text.
  static func firstLine(of command: String, within seconds: Double = 10) -> String {
    guard let child = try? ChildProcess(["/bin/sh", "-c", command + " 2>/dev/null; echo"]) else { return "" }
    let line = try? child.readLine(within: seconds)
    child.finish()
    return line ?? ""
  }
}
