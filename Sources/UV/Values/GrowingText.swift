import CUV

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
