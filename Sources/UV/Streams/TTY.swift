import CUV

/// A terminal, to read from and write to as from any ``ByteStream``.
///
/// ```swift
/// let terminal = try loop.tty(1)
/// let size = try terminal.windowSize()
/// try await terminal.write("\(size.columns) columns\n").value
/// ```
public final class TTY: ByteStream {
  /// How a terminal treats what is typed.
  ///
  /// The corresponding libuv type is `uv_tty_mode_t`.
  public enum Mode: Hashable, Sendable {
    /// Lines, which can be edited and are shown as they are typed.
    case normal
    /// Each key as it is typed, not shown; Control-C is a byte like any other.
    case raw
    /// Bytes as they are, in both directions; for a protocol between programs.
    case io

    var rawValue: uv_tty_mode_t {
      switch self {
      case .normal: UV_TTY_MODE_NORMAL
      case .raw: UV_TTY_MODE_RAW
      case .io: UV_TTY_MODE_IO
      }
    }
  }

  private var tty: UnsafeMutablePointer<uv_tty_t> { block.raw.assumingMemoryBound(to: uv_tty_t.self) }

  init(loop: EventLoop, fileDescriptor: Int32) throws(UVError) {
    let subject = "descriptor \(fileDescriptor)"
    // libuv closes some of the descriptors that it is given and not others, so it is given one of its own.
    let duplicate = cuv_duplicate(fileDescriptor)
    try check(duplicate, "tty_init", subject)
    guard HandleType(guessing: duplicate) == .tty else {
      _ = CUV.close(duplicate)
      throw UVError(.notTerminal, operation: "tty_init", subject: subject)
    }
    do throws(UVError) {
      try super.init(loop: loop, size: MemoryLayout<uv_tty_t>.size, "tty_init") { raw in
        uv_tty_init(loop.raw, raw.assumingMemoryBound(to: uv_tty_t.self), duplicate, 0)
      }
    } catch {
      _ = CUV.close(duplicate)
      throw error
    }
    // Where libuv has opened the terminal anew, it does not need the duplicate any more.
    if try self.fileDescriptor() != duplicate { _ = CUV.close(duplicate) }
    block.own()
  }

  /// Changes how the terminal treats what is typed. It stays so when the stream is closed, and when the program ends.
  ///
  /// - Throws: `badDescriptor` if the stream is closed.
  ///
  /// The corresponding libuv function is `uv_tty_set_mode`.
  public func setMode(_ mode: Mode) throws(UVError) {
    try checkOpen("tty_set_mode")
    try check(uv_tty_set_mode(tty, mode.rawValue), "tty_set_mode")
  }

  /// Gives the terminal whose mode was the first to be changed in this process the mode that it had before; for the end
  /// of a program. Does nothing if no mode has been changed.
  ///
  /// - Throws: `busy` while another thread sets a mode; an error of the system's if the terminal is closed.
  ///
  /// The corresponding libuv function is `uv_tty_reset_mode`.
  public static func resetMode() throws(UVError) { try check(uv_tty_reset_mode(), "tty_reset_mode") }

  /// The size of the terminal's window in characters.
  ///
  /// - Throws: `badDescriptor` if the stream is closed.
  ///
  /// The corresponding libuv function is `uv_tty_get_winsize`.
  public func windowSize() throws(UVError) -> (columns: Int, rows: Int) {
    try checkOpen("tty_get_winsize")
    var (columns, rows): (Int32, Int32) = (0, 0)
    try check(uv_tty_get_winsize(tty, &columns, &rows), "tty_get_winsize")
    return (Int(columns), Int(rows))
  }
}

extension EventLoop {
  /// Opens a terminal.
  ///
  /// - Parameter fileDescriptor: A descriptor of it, such as 0, 1 or 2; it remains the caller's.
  /// - Throws: `badDescriptor` if it is not open, `notTerminal` if it is not a terminal's, `tooManyOpenFiles`.
  ///
  /// A terminal that cannot be opened anew, such as the controlling side of a pseudo-terminal, is written to by calls that
  /// wait for it, and the loop with them.
  ///
  /// The corresponding libuv function is `uv_tty_init`.
  public func tty(_ fileDescriptor: Int32) throws(UVError) -> TTY {
    try TTY(loop: self, fileDescriptor: fileDescriptor)
  }
}
