import CUV

/// Turns a libuv return code into an error. This is the only place that does.
@inline(__always)
func check(
  _ code: Int32, _ operation: @autoclosure () -> String, _ subject: @autoclosure () -> String? = nil
) throws(UVError) {
  if code < 0 { throw failure(code, operation(), subject()) }
}

/// The error for a negative code.
@inline(never)
func failure(_ code: some BinaryInteger, _ operation: String, _ subject: String? = nil) -> UVError {
  let code = Int32(code)
  if let kind = noFile(code) {
    return UVError(.invalidArgument, operation: operation, subject: subject, message: kind)
  }
  return UVError(UVError.Code(rawValue: code), operation: operation, subject: subject)
}

/// The text for a path at which there is no file; nil for libuv's codes.
private func noFile(_ code: Int32) -> String? {
  switch Int(code) {
  case CUV_IS_FIFO:
    """
    this is a FIFO, which would have a thread wait for its other end; open it with O_NONBLOCK, and give the descriptor to \
    `loop.pipes.open(fileDescriptor:)`
    """
  case CUV_IS_SOCKET: "this is a socket; use `loop.pipes.connect(path:)`"
  default: nil
  }
}

/// Whether two buffers of the same size hold the same bytes.
func isEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
  a.count == 0 || memcmp(a.baseAddress!, b.baseAddress!, a.count) == 0
}

/// Frees what a job that reads a file has allocated.
func releaseExternal(_ pointer: UnsafeMutablePointer<UInt8>?) { free(pointer) }

/// Calls a libuv function with a path.
func check(
  _ path: some PathConvertible, _ operation: String, _ call: (UnsafePointer<CChar>) -> Int32
) throws(UVError) {
  try path.withPathBytes { pointer -> Result<Void, UVError> in
    guard let pointer else {
      return .failure(UVError(.invalidArgument, operation: operation, subject: "a path with a NUL in it"))
    }
    let code = call(pointer)
    return code < 0 ? .failure(failure(code, operation, String(cString: pointer))) : .success(())
  }.get()
}

/// Stops the program with a sentence unless `condition` holds. Use it for misuse that can't work.
///
/// `precondition` would stop the program too, but says why in debug builds only.
@inlinable
@inline(__always)
package func require(_ condition: Bool, _ sentence: @autoclosure () -> String) {
  if !condition { stop(sentence()) }
}

/// Stops the program with a sentence, in release builds too.
@usableFromInline
@inline(never)
package func stop(_ sentence: String) -> Never { fatalError(sentence) }

/// A place in a program's source, for reports.
struct SourcePlace: CustomStringConvertible {
  /// The module and the file, or words for a place that is no line of the program's.
  let file: StaticString
  /// Fits into the rest of the last word of `file`.
  private let shortLine: UInt32

  init(file: StaticString, line: UInt) {
    self.file = file
    shortLine = UInt32(clamping: line)
  }

  /// The line; 0 if there is none.
  var line: UInt { UInt(shortLine) }

  /// `Module/File.swift:12`.
  var description: String { Self.text("\(file)", line) }

  static func text(_ file: String, _ line: UInt) -> String { line == 0 ? file : "\(file):\(line)" }
}

/// Writes a line to the standard error.
///
/// If the standard error takes no more, the rest is lost: a loop mustn't hang because of this.
@usableFromInline
package func printToStandardError(_ text: String) {
  var line = "\(text)\n"
  line.withUTF8 { bytes in
    var rest = UnsafeRawBufferPointer(bytes)
    while !rest.isEmpty {
      let count = CUV.write(2, rest.baseAddress, rest.count)
      if count <= 0 { return }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    }
  }
}

/// Reads a text from a libuv function that fills a buffer and says how large the buffer would have to be.
func text<T>(
  _ operation: String, as convert: (UnsafePointer<CChar>) -> T,
  _ get: (UnsafeMutablePointer<CChar>, UnsafeMutablePointer<Int>) -> Int32
) throws(UVError) -> T {
  var capacity = 1024
  while true {
    var size = capacity
    let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: capacity + 1)
    defer { buffer.deallocate() }
    let code = get(buffer, &size)
    if code == UV_ENOBUFS.rawValue, capacity < 1 << 24 {
      capacity = max(size, capacity * 2)
      continue
    }
    try check(code, operation)
    // Not all of these functions end the text with a NUL.
    buffer[min(max(size, 0), capacity)] = 0
    return convert(buffer)
  }
}

/// Reads a text that people read. The system doesn't require such names to be UTF-8; bytes that aren't are
/// replaced.
func string(
  _ operation: String, _ get: (UnsafeMutablePointer<CChar>, UnsafeMutablePointer<Int>) -> Int32
) throws(UVError) -> String {
  try text(operation, as: { String(cString: $0) }, get)
}

/// Reads a path.
func path(
  _ operation: String, _ get: (UnsafeMutablePointer<CChar>, UnsafeMutablePointer<Int>) -> Int32
) throws(UVError) -> FilePath {
  try text(operation, as: { FilePath(platformString: $0) }, get)
}
