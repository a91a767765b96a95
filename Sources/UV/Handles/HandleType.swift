import CUV

/// A kind of handle, and of the descriptor behind one.
///
/// The corresponding libuv type is `uv_handle_type`.
public enum HandleType: String, Hashable, Sendable {
  /// A TCP socket.
  case tcp
  /// A UDP socket.
  case udp
  /// A pipe, or a Unix domain socket.
  case pipe
  /// A terminal.
  case tty
  /// A file, or a device that is not a terminal.
  case file
  /// Something else, or nothing that is open.
  case unknown

  /// What a descriptor refers to; `unknown` if it is not open.
  ///
  /// The corresponding libuv function is `uv_guess_handle`.
  public init(guessing fileDescriptor: Int32) { self.init(uv_guess_handle(fileDescriptor)) }

  init(_ type: uv_handle_type) {
    switch type {
    case UV_TCP: self = .tcp
    case UV_UDP: self = .udp
    case UV_NAMED_PIPE: self = .pipe
    case UV_TTY: self = .tty
    case UV_FILE: self = .file
    default: self = .unknown
    }
  }

  /// Throws unless `fileDescriptor` is open and of this kind: libuv would end the program on some that are not.
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
