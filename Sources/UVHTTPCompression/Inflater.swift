#if HTTP || Everything
import CZlib
import UV

/// Restores bytes that were compressed. One thread at a time uses it.
///
/// It takes about 40 KiB of memory while it lives.
final class Inflater {
  private enum Format {
    case gzip
    /// Named `deflate` in HTTP. Some peers leave zlib's head out, so the first bytes decide.
    case zlib
    case raw

    var windowBits: Int32 {
      switch self {
      case .gzip: 15 + 16
      case .zlib: 15
      case .raw: -15
      }
    }
  }

  // Sound: zlib has a pointer to the stream, so this has one address from `init` to `deinit`.
  private let stream: UnsafeMutablePointer<z_stream>
  private var format: Format
  /// Compressed bytes that have come. Those from `offset` on are unused.
  private var input = Bytes()
  private var offset = 0
  /// Whether zlib has been initialized, once the format is known.
  private var isReady = false
  /// Whether the last sequence is complete. Another one of gzip may follow.
  private var isComplete = false

  init(_ coding: HTTPCompression.Coding) {
    format = coding == .gzip ? .gzip : .zlib
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
  }

  deinit {
    if isReady { inflateEnd(stream) }
    stream.deallocate()
  }

  /// Adds compressed bytes. Called when ``next(_:)`` has returned nil.
  func append(_ bytes: Bytes) {
    input = offset == input.count ? bytes : joined(bytes)
    offset = 0
  }

  private func joined(_ bytes: Bytes) -> Bytes {
    var all = BytesBuilder(capacity: input.count - offset + bytes.count)
    all.append(Bytes(input[offset...]))
    all.append(bytes)
    return all.takeBytes()
  }

  /// Restores the next bytes.
  ///
  /// - Parameter most: The most bytes to restore at a time, 1 or more.
  /// - Returns: At least one byte; nil if there are none before more has come.
  /// - Throws: `invalidArgument` if the bytes aren't what the format says, and `outOfMemory`.
  func next(_ most: Int) throws(UVError) -> Bytes? {
    while offset < input.count {
      guard try prepare() else { return nil }
      let bytes = try inflateOnce(most)
      if !bytes.isEmpty { return bytes }
    }
    // zlib may hold restored bytes, for which there was no room.
    guard isReady, !isComplete else { return nil }
    let bytes = try inflateOnce(most)
    return bytes.isEmpty ? nil : bytes
  }

  /// The compressed bytes have ended.
  ///
  /// - Throws: `endOfFile` if something is missing.
  func finish() throws(UVError) {
    // No bytes at all are an empty body, which some peers say is compressed.
    if !isReady, input.isEmpty { return }
    if !isComplete {
      throw UVError(.endOfFile, operation: "decompress", message: "compressed bytes are missing")
    }
  }

  /// Begins a sequence, if none is under way.
  ///
  /// - Returns: False if the first bytes aren't there yet that say how.
  private func prepare() throws(UVError) -> Bool {
    if isReady {
      guard isComplete else { return true }
      guard format == .gzip else { throw Self.failure("bytes after the end") }
      isComplete = false
      inflateReset(stream)
      return true
    }
    if format == .zlib {
      guard input.count - offset >= 2 else { return false }
      let (first, second) = (Int(input[offset]), Int(input[offset + 1]))
      // RFC 1950, 2.2.
      if first & 15 != 8 || (first << 8 | second) % 31 != 0 { format = .raw }
    }
    let code = inflateInit2_(stream, format.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else { throw UVError(.outOfMemory, operation: "decompress") }
    isReady = true
    return true
  }

  private func inflateOnce(_ most: Int) throws(UVError) -> Bytes {
    var code = Z_OK
    let rest = Bytes(input[offset...])
    // A short body holds no long memory. Most texts have a tenth of their size or more.
    let capacity = min(most, 1024 + rest.count * 10)
    let output = rest.withUnsafeBytes { part in
      Bytes(unsafeUninitializedCapacity: capacity) { (buffer: UnsafeMutableBufferPointer<UInt8>) -> Int in
        // Sound: zlib reads the bytes, and only until `inflate` returns.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: part.bindMemory(to: UInt8.self).baseAddress)
        // zlib counts in 32 bits. The others follow at the next call.
        let count = min(part.count, 1 << 30)
        stream.pointee.avail_in = uInt(count)
        stream.pointee.next_out = buffer.baseAddress
        stream.pointee.avail_out = uInt(buffer.count)
        code = inflate(stream, Z_NO_FLUSH)
        offset += count - Int(stream.pointee.avail_in)
        stream.pointee.next_in = nil
        return buffer.count - Int(stream.pointee.avail_out)
      }
    }
    switch code {
    // A call that has nothing to do is no fault.
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: isComplete = true
    case Z_MEM_ERROR: throw UVError(.outOfMemory, operation: "decompress")
    case Z_NEED_DICT: throw Self.failure("a dictionary is needed")
    default: throw Self.failure(stream.pointee.msg.map { String(cString: $0) })
    }
    return output
  }

  private static func failure(_ reason: String?) -> UVError {
    UVError(.invalidArgument, operation: "decompress", message: reason ?? "the bytes aren't compressed")
  }
}
#endif
