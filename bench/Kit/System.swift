// Every file here and in the commands has the C library, and what there is of Foundation, whatever these are called on a system.
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

// Names of the C library, where a method of the same name hides them.
func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }
func systemClose(_ file: Int32) { _ = close(file) }
