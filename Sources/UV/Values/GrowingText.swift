import CUV

/// Reads a text from one of libuv's functions that fill a buffer and say how long it would have to be.
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
    // Not all of them end it with a NUL.
    buffer[min(max(size, 0), capacity)] = 0
    return convert(buffer)
  }
}

/// The same for what is text to people, which names in the system need not be: what is not UTF-8 is replaced.
func string(
  _ operation: String, _ get: (UnsafeMutablePointer<CChar>, UnsafeMutablePointer<Int>) -> Int32
) throws(UVError) -> String {
  try text(operation, as: { String(cString: $0) }, get)
}

/// The same for a path.
func path(
  _ operation: String, _ get: (UnsafeMutablePointer<CChar>, UnsafeMutablePointer<Int>) -> Int32
) throws(UVError) -> FilePath {
  try text(operation, as: { FilePath(platformString: $0) }, get)
}
