// Every file here and in the commands has the C library, and what there is of Foundation, whatever these are
// called on a system.
#if canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#else
  @_exported import Darwin
#endif
#if canImport(FoundationEssentials)
  @_exported import FoundationEssentials
#else
  @_exported import Foundation
#endif

/// Writes on standard error.
func complain(_ text: String) { _ = writeAll(text, to: STDERR_FILENO) {} }

/// Writes all of a text; false where that fails. `interrupted` is called when a signal came in between.
func writeAll(_ text: String, to file: Int32, interrupted: () throws -> Void) rethrows -> Bool {
  var bytes = Array(text.utf8)[...]
  while !bytes.isEmpty {
    let count = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    if count < 0, errno != EINTR { return false }
    if count < 0 { try interrupted() }
    bytes = bytes.dropFirst(max(count, 0))
  }
  return true
}

/// The C library's, where a method of the same name hides it.
func systemClose(_ file: Int32) { _ = close(file) }
