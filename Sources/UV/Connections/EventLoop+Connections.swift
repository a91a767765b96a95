import CUV

extension EventLoop {
  /// TCP on this loop.
  public var tcp: TCP { TCP(loop: self) }

  /// Pipes and Unix domain sockets on this loop.
  public var pipes: Pipes { Pipes(loop: self) }

  /// Opens a terminal.
  ///
  /// Some terminals can't be opened a second time, such as the controlling side of a pseudo-terminal. A write
  /// to such a terminal blocks the thread, and so the loop, until the system has taken the bytes.
  ///
  /// - Parameter fileDescriptor: A descriptor of the terminal, such as 0, 1 or 2. It still belongs to the
  ///   caller.
  /// - Throws: `badDescriptor` if the descriptor isn't open, `notTerminal` if it isn't a terminal, and
  ///   `tooManyOpenFiles`.
  ///
  /// The corresponding libuv function is `uv_tty_init`.
  public func tty(_ fileDescriptor: Int32) throws(UVError) -> TTY {
    try TTY(loop: self, fileDescriptor: fileDescriptor)
  }

  // MARK: Standard streams

  /// The program's standard input, whatever it is: a terminal, a pipe, a socket or a file.
  ///
  /// ```swift
  /// while let line = try await loop.standardInput.readLine(limit: 65536).value { … }
  /// ```
  ///
  /// It is a ``ByteStream`` as any other. A terminal is a ``TTY``. A file is read and written at its own
  /// position, on the thread pool. The first access opens the stream; the loop keeps it until you close it or
  /// the loop is shut down. An open stream doesn't keep the loop running while nobody asks for its bytes.
  /// Descriptor 0 stays open when the stream is closed.
  ///
  /// Other processes may use the same terminal or pipe, such as the shell. This is what they notice:
  ///
  /// - A terminal whose mode you have changed gets its mode back when the stream closes and when the program
  ///   ends by `exit`.
  /// - On Linux, a pipe is opened anew, so that its other users keep their blocking mode. A socket can't be
  ///   opened anew, nor can a pipe on other systems. Its blocking mode belongs to all its users. So it is
  ///   non-blocking until the loop's standard streams are closed, and then blocking as before.
  /// - What is read from a pipe or a file is gone for the others, even if you don't take all of it.
  ///
  /// - Throws: `badDescriptor` if the program has closed the descriptor, `invalidArgument` if it is something
  ///   else, such as a directory or a UDP socket, `loopClosed`, and the errors of ``tty(_:)``,
  ///   ``Pipes/open(fileDescriptor:passesHandles:)`` and ``TCP/open(fileDescriptor:)``.
  ///
  /// The corresponding libuv function is `uv_guess_handle`.
  public var standardInput: ByteStream {
    get throws(UVError) { try standardStream(0) }
  }

  /// The program's standard output, whatever it is; see ``standardInput``.
  ///
  /// ```swift
  /// try await loop.standardOutput.write("ready\n").value
  /// ```
  ///
  /// Bytes for a file reach it even if you close the stream at once. To a pipe, a socket or a terminal, await
  /// the last write or ``ByteStream/drain()`` before the program ends. `print` has a buffer of its own: bytes
  /// that are printed may come later than bytes that are written to this stream.
  ///
  /// The corresponding libuv function is `uv_guess_handle`.
  public var standardOutput: ByteStream {
    get throws(UVError) { try standardStream(1) }
  }

  /// The program's standard error, whatever it is; see ``standardInput``.
  ///
  /// The corresponding libuv function is `uv_guess_handle`.
  public var standardError: ByteStream {
    get throws(UVError) { try standardStream(2) }
  }

  private func standardStream(_ descriptor: Int32) throws(UVError) -> ByteStream {
    if isClosed { throw UVError(.loopClosed, operation: "open", subject: "descriptor \(descriptor)") }
    if let stream = openHandles.standardStreams[descriptor] as? ByteStream, !stream.isClosing {
      return stream
    }
    let stream = try openStream(descriptor)
    openHandles.standardStreams[descriptor] = stream
    return stream
  }

  private func openStream(_ descriptor: Int32) throws(UVError) -> ByteStream {
    let subject = "descriptor \(descriptor)"
    let flags = cuv_open_flags(descriptor)
    try check(flags, "open", subject)
    switch HandleType(guessing: descriptor) {
    case .tty: return try tty(descriptor)
    case .file:
      return try takeOver(cuv_duplicate(descriptor), subject) { (descriptor) throws(UVError) in
        try FileStream(files.open(fileDescriptor: descriptor))
      }
    case .pipe:
      let other = cuv_reopen(descriptor, flags)
      if other < 0 { borrow(descriptor, flags) }
      return try takeOver(other < 0 ? cuv_duplicate(descriptor) : other, subject) {
        (descriptor) throws(UVError) in
        try pipes.open(fileDescriptor: descriptor)
      }
    case .tcp:
      borrow(descriptor, flags)
      return try takeOver(cuv_duplicate(descriptor), subject) { (descriptor) throws(UVError) in
        try tcp.open(fileDescriptor: descriptor)
      }
    case let type:
      throw UVError(.invalidArgument, operation: "open", subject: "\(subject) (\(type), not a stream)")
    }
  }

  private func borrow(_ descriptor: Int32, _ flags: Int32) {
    if flags & O_NONBLOCK == 0 { openHandles.standardStreams.borrow(descriptor) }
  }

  /// Hands a descriptor of our own to `open`, which takes it over or throws.
  private func takeOver(
    _ descriptor: Int32, _ subject: String, _ open: (Int32) throws(UVError) -> ByteStream
  ) throws(UVError) -> ByteStream {
    try check(descriptor, "open", subject)
    do throws(UVError) { return try open(descriptor) } catch {
      _ = CUV.close(descriptor)
      throw error
    }
  }
}
