import CBenchSupport

/// What a client is measured against: a server of the program's own, in a process and on a processor of its own,
/// which answers `GET /hello` with so many bytes. It ends with this object, or with this process.
public final class HelloServer {
  /// The name of the program's command that is the server.
  public static let command = "serve-hello"

  /// Where it listens on 127.0.0.1.
  public let port: UInt16
  private let child: ChildProcess

  /// Starts one.
  public init(size: Int) throws {
    let processor = bench_usable_cpu(bench_usable_cpus() > 1 ? 1 : 0)
    child = try ChildProcess([Executable.path, Self.command, "--size", "\(size)", "--cpu=\(processor)"])
    let line = try child.readLine(within: 30)
    guard let port = UInt16(line), port > 0 else {
      throw WorkerFailure("\(Self.command) said `\(line.prefix(200))` and not its port")
    }
    self.port = port
  }
}
