import CUV

/// The size of a terminal's window in characters.
///
/// The corresponding structure of the system is `winsize`.
public struct TerminalSize: Hashable, Sendable {
  /// How many characters a line has, 1…65535.
  public var columns: Int
  /// How many lines there are, 1…65535.
  public var rows: Int

  /// Creates a size.
  ///
  /// - Parameters:
  ///   - columns: How many characters a line has, 1…65535.
  ///   - rows: How many lines there are, 1…65535.
  public init(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }

  /// The form in which C takes it.
  fileprivate func fields(_ operation: String) throws(UVError) -> (columns: UInt16, rows: UInt16) {
    guard let columns = UInt16(exactly: columns), let rows = UInt16(exactly: rows), columns > 0, rows > 0
    else {
      throw UVError(.invalidArgument, operation: operation, subject: "\(columns) columns, \(rows) rows")
    }
    return (columns, rows)
  }
}

/// This process's end of a child's terminal: what the child prints is read here, and what is written here is what
/// somebody types.
///
/// ```swift
/// let child = try loop.processes.spawn("bash", terminal: TerminalSize(columns: 80, rows: 24))
/// let terminal = child.terminal!
/// try await terminal.write("stty size; exit\n").value
/// for try await bytes in terminal { print(bytes, terminator: "") }
/// ```
///
/// The terminal does what terminals do, until the child changes its mode: it sends back what is typed, writes a line's
/// end as `"\r\n"`, keeps a line until its end is typed, and takes some bytes for keys. `"\u{3}"` is Control-C,
/// which sends the signal `interrupt` to the programs in the foreground, and `"\u{4}"` at the beginning of a line ends their
/// input.
///
/// The stream ends when every process has closed the terminal: the child, and those that it has started. Closing the
/// stream hangs up: the child's session gets the signal `hangup`, which ends most programs. `shutdown()` fails with
/// `notSocket`, since one direction alone can't end.
///
/// The corresponding libuv type is `uv_pipe_t`.
public final class ChildTerminal: ByteStream {
  var pipe: UnsafeMutablePointer<uv_pipe_t> { block.raw.assumingMemoryBound(to: uv_pipe_t.self) }

  private let initialSize: (columns: UInt16, rows: UInt16)

  init(loop: EventLoop, size: TerminalSize) throws(UVError) {
    initialSize = try size.fields("spawn")
    try super.init(loop: loop, size: MemoryLayout<uv_pipe_t>.size, "pipe_init") { raw in
      uv_pipe_init(loop.raw, raw.assumingMemoryBound(to: uv_pipe_t.self), 0)
    }
  }

  /// What C needs to open it.
  var call: cuv_terminal { cuv_terminal(columns: initialSize.columns, rows: initialSize.rows, end: pipe) }

  /// Changes the size of the terminal's window. The programs in the foreground get the signal `windowChange` if it is
  /// another size.
  ///
  /// - Parameter size: The new size.
  /// - Throws: `badDescriptor` if the stream is closed, and `invalidArgument` for a size out of its range.
  ///
  /// The corresponding request of the system is `TIOCSWINSZ`.
  public func resize(to size: TerminalSize) throws(UVError) {
    let (columns, rows) = try size.fields("resize")
    try check(cuv_resize_terminal(try fileDescriptor(), columns, rows), "resize")
  }

  /// Without any process that has the terminal, the system has no end to report, but an error.
  override func isEnd(_ code: Int) -> Bool { code == Int(UV_EIO.rawValue) || super.isEnd(code) }

  /// A read has a piece of the terminal's memory, and libuv takes one that doesn't fill its buffer for the last once all
  /// processes have closed the terminal.
  override var hasUnreadBytes: Bool {
    guard let descriptor = try? fileDescriptor() else { return false }
    return cuv_can_be_read(descriptor)
  }
}
