#if HTTP || Everything
import CZlib
import UV

/// Compresses a sequence of bytes. One thread at a time uses it.
///
/// It takes about 260 KiB of memory while it lives.
final class Deflater {
  /// The fate of the bytes that zlib keeps, to compress more at a time.
  enum Flush {
    /// They stay.
    case none
    /// They leave, and the sequence goes on.
    case sync
    /// They leave, and the sequence ends.
    case finish

    fileprivate var code: Int32 {
      switch self {
      case .none: Z_NO_FLUSH
      case .sync: Z_SYNC_FLUSH
      case .finish: Z_FINISH
      }
    }
  }

  // Sound: zlib has a pointer to the stream, so this has one address from `init` to `deinit`.
  private let stream: UnsafeMutablePointer<z_stream>

  /// - Parameters:
  ///   - coding: The format.
  ///   - level: 1 (fastest) to 9 (smallest).
  /// - Returns: Nil if there is no memory.
  init?(_ coding: HTTPCompression.Coding, level: Int) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let code = deflateInit2_(
      stream, Int32(level), Z_DEFLATED, coding.windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    if code != Z_OK {
      stream.deallocate()
      return nil
    }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Compresses the next bytes.
  ///
  /// Complexity: O(*n*), about 45 ms for a mebibyte of text at level 6.
  func compress(_ bytes: Bytes, _ flush: Flush, into output: inout BytesBuilder) {
    // zlib counts in 32 bits.
    let most = 1 << 30
    var offset = 0
    repeat {
      let end = min(offset + most, bytes.count)
      Bytes(bytes[offset..<end]).withUnsafeBytes { part in
        compress(part, end == bytes.count ? flush : .none, into: &output)
      }
      offset = end
    } while offset < bytes.count
  }

  private func compress(_ part: UnsafeRawBufferPointer, _ flush: Flush, into output: inout BytesBuilder) {
    // Sound: zlib reads the bytes, and only until `deflate` returns.
    stream.pointee.next_in = UnsafeMutablePointer(mutating: part.bindMemory(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = uInt(part.count)
    defer { stream.pointee.next_in = nil }
    var isFull = true
    while isFull {
      output.append(unsafeUninitializedCapacity: 16 * 1024) { buffer in
        stream.pointee.next_out = buffer.baseAddress
        stream.pointee.avail_out = uInt(buffer.count)
        // It can't fail: the stream is sound, and a call that has nothing to do is no fault.
        _ = deflate(stream, flush.code)
        isFull = stream.pointee.avail_out == 0
        return buffer.count - Int(stream.pointee.avail_out)
      }
    }
  }
}

extension HTTPCompression.Coding {
  /// zlib's name for the format: a window of 32 KiB, and 16 for the head and the checksum of gzip.
  fileprivate var windowBits: Int32 { self == .gzip ? 15 + 16 : 15 }
}

extension Bytes {
  /// The bytes, compressed. Use it for what is sent often: compress once, and send the result with the field
  /// `Content-Encoding`.
  ///
  /// It works on the caller's thread, which may be any: about 45 ms for a mebibyte of text at level 6. A loop
  /// has time for a few kibibytes; for more use `loop.work`.
  ///
  /// - Parameters:
  ///   - coding: The format.
  ///   - level: 1 (fastest) to 9 (smallest).
  /// - Throws: `outOfMemory`, and `invalidArgument` for another level.
  public func compressed(by coding: HTTPCompression.Coding, level: Int = 6) throws(UVError) -> Bytes {
    guard 1...9 ~= level else {
      throw UVError(.invalidArgument, operation: "compress", subject: "level \(level)")
    }
    guard let deflater = Deflater(coding, level: level) else {
      throw UVError(.outOfMemory, operation: "compress")
    }
    var output = BytesBuilder(capacity: count / 3)
    deflater.compress(self, .finish, into: &output)
    return output.takeBytes()
  }
}
#endif
