import CUV

/// A terminal, which you read and write as any ``ByteStream``.
///
/// ```swift
/// let terminal = try loop.tty(1)
/// let size = try terminal.windowSize()
/// try await terminal.write("\(size.columns) columns\n").value
/// ```
///
/// The corresponding libuv type is `uv_tty_t`.
public final class TTY: ByteStream {
  /// How a terminal treats what is typed.
  ///
  /// The corresponding libuv type is `uv_tty_mode_t`.
  public enum Mode: Hashable, Sendable {
    /// Whole lines. The user can edit them, and sees them while typing.
    case normal
    /// Each key as it is typed. The terminal doesn't show it, and Control-C is a byte like any other.
    case raw
    /// Bytes as they are, in both directions. Use it for a protocol between programs.
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
    // libuv closes some of the descriptors that it gets and not others. So it gets a duplicate.
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
    // If libuv has opened the terminal anew, it doesn't need the duplicate any more.
    if try self.fileDescriptor() != duplicate { _ = CUV.close(duplicate) }
    block.own()
  }

  /// Changes how the terminal treats what is typed. The terminal gets the mode that it had before when the
  /// stream is closed, however that comes about, and when the program ends by `exit`. If the program ends by a
  /// signal that it doesn't handle, such as `SIGTERM`, or by a crash, the first terminal whose mode was changed
  /// gets its mode back: `setMode` installs handlers for the signals that have their usual effect, and for those
  /// of a crash, which end the program as before. Nothing can be done at `SIGKILL`.
  ///
  /// - Parameter mode: The new mode.
  /// - Throws: `badDescriptor` if the stream is closed.
  ///
  /// The corresponding libuv function is `uv_tty_set_mode`.
  public func setMode(_ mode: Mode) throws(UVError) {
    try checkOpen("tty_set_mode")
    _ = Self.resetAtExit
    try check(uv_tty_set_mode(tty, mode.rawValue), "tty_set_mode")
    if mode != .normal { cuv_guard_terminal(false) }
  }

  /// Has the mode reset when the program ends by `exit`. No stream is closed then.
  private static let resetAtExit: Int32 = atexit { try? check(uv_tty_reset_mode(), "tty_reset_mode") }

  /// Restores a terminal's mode; call it in a handler of your own for a signal that ends the program. libuv
  /// remembers one terminal in a process: the first whose mode was changed. This function gives that terminal the mode that it had
  /// before. If no mode has been changed, it does nothing.
  ///
  /// - Throws: `busy` while another thread sets a mode, and an error of the system if the terminal is closed.
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
