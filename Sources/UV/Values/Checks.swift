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
  UVError(UVError.Code(rawValue: Int32(code)), operation: operation, subject: subject)
}

/// Whether two buffers of the same size hold the same bytes.
func isEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
  a.count == 0 || memcmp(a.baseAddress!, b.baseAddress!, a.count) == 0
}

/// Frees what `cuv_read_file` allocated.
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
