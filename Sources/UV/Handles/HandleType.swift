import CUV

/// The kind of a handle, or of what a file descriptor refers to. The raw value is libuv's name.
///
/// The corresponding libuv type is `uv_handle_type`, and the function is `uv_handle_type_name`.
public enum HandleType: String, Hashable, Sendable, Codable {
  /// A TCP socket.
  case tcp
  /// A UDP socket.
  case udp
  /// A pipe, or a Unix domain socket.
  case pipe
  /// A terminal.
  case tty
  /// A file, or a device that isn't a terminal. The type of a standard stream that is redirected to a file.
  case file
  /// A timer: a ``LoopTimer``, or the loop's own timer, which serves every sleep.
  case timer
  /// A descriptor that a ``PollWatcher`` watches.
  case poll
  /// A signal that is watched.
  case signal
  /// A child process.
  case process
  /// A file or directory whose changes are watched.
  case fileEvent = "fs_event"
  /// A file whose status is watched.
  case fileStatus = "fs_poll"
  /// A handle that wakes the loop from other threads.
  case async
  /// A handle that is called before the loop waits.
  case prepare
  /// A handle that is called after the loop has waited.
  case check
  /// A handle that is called on each turn of a loop that doesn't wait.
  case idle
  /// Something else, or a descriptor that isn't open.
  case unknown

  /// The kind of what a descriptor refers to; `unknown` if the descriptor isn't open.
  ///
  /// - Parameter fileDescriptor: Any file descriptor.
  ///
  /// The corresponding libuv function is `uv_guess_handle`.
  public init(guessing fileDescriptor: Int32) { self.init(uv_guess_handle(fileDescriptor)) }

  init(_ type: uv_handle_type) {
    self = cuv_handle_type_name(type).flatMap { HandleType(rawValue: String(cString: $0)) } ?? .unknown
  }

  /// Throws unless `fileDescriptor` is open and of this kind. libuv would end the program for some
  /// descriptors of another kind.
  func check(_ fileDescriptor: Int32, _ operation: String) throws(UVError) {
    let type = HandleType(guessing: fileDescriptor)
    guard type != self else { return }
    let subject = "descriptor \(fileDescriptor)"
    guard cuv_is_open(fileDescriptor) else {
      throw UVError(.badDescriptor, operation: operation, subject: subject)
    }
    throw UVError(.invalidArgument, operation: operation, subject: "\(subject) (\(type), not \(self))")
  }
}
