import CUV

/// A stream over an open file. Bytes are read and written at the file's own position, on the thread pool.
///
/// libuv has no stream for files. The stream's handle is a pipe's that is never opened.
final class FileStream: ByteStream {
  private let file: File
  private let mode: Int32
  private var isReading = false

  /// Takes over a file.
  init(_ file: File) throws(UVError) {
    self.file = file
    mode = cuv_open_flags(file.descriptor) & O_ACCMODE
    let loop = file.loop
    try super.init(loop: loop, size: MemoryLayout<uv_pipe_t>.size, "pipe_init") { raw in
      uv_pipe_init(loop.raw, raw.assumingMemoryBound(to: uv_pipe_t.self), 0)
    }
    take(role: .file)
  }

  /// A file has no connection to take over. Without this, the compiler warns of what it makes in its place.
  override package init(takingOver origin: StreamOrigin) throws(UVError) {
    throw UVError(.notSupported, operation: "secure")
  }

  override var isFile: Bool { true }

  override func fileDescriptor() throws(UVError) -> Int32 {
    try checkOpen("fileno")
    return file.descriptor
  }

  // MARK: Reading

  private static let chunk = 65536

  override var isReadable: Bool { !isClosing && mode != O_WRONLY && !source.hasEnded }

  override func resume() {
    do throws(UVError) { try checkOpen("read") } catch {
      return loop.queueMicrotask { [self] in endReading(error) }
    }
    keepAlive(.source)
    block.withSidecar { $0.beginReading() }
    readOn()
  }

  /// A read that has begun goes on. Its bytes are kept for the next reader.
  override func pause() { letGo(.source) }

  private func readOn() {
    if isReading { return }
    isReading = true
    file.read(Self.chunk) { [self] result in
      isReading = false
      if !isClosing { didRead(result) }
    }
  }

  private func didRead(_ result: Result<Bytes, UVError>) {
    guard case .success(let bytes) = result, !bytes.isEmpty else { return endReading(result.failure) }
    deliver(bytes)
    // A reader that has got bytes asks for the next ones once it has run.
    loop.queueMicrotask { [self] in
      pauseIfUnwanted()
      block.withSidecar { $0.goOnReading(true) }
      if source.isProducing { readOn() }
    }
  }

  // MARK: Writing

  override var isOpenForWriting: Bool { mode != O_RDONLY }

  override func writeInFlight() {
    block.withSidecar { $0.beginWriting() }
    let buffers = writes.pending.inFlight.map(\.bytes)
    if loop.isClosed {
      // Nothing begins on the thread pool any more, and what was written must not be lost.
      let code = buffers.lazy.map { cuv_write_all(self.file.descriptor, $0.start, $0.count) }.first { $0 < 0 }
      loop.queueMicrotask { [self] in didWrite(code ?? 0) }
    } else {
      file.write(buffers) { [self] result in didWrite(result.failure?.code.rawValue ?? 0) }
    }
  }

  override func didBypassWrites() {
    writes.release()
    if isClosing { closeOnceWritten() }
  }

  private func didWrite(_ code: Int32) {
    writes.finish(code)
    if isClosing { closeOnceWritten() }
  }

  // MARK: Closing

  /// A file takes everything that was written before the stream was closed.
  override func startUVClose() {
    block.beginClose()
    closeOnceWritten()
  }

  private func closeOnceWritten() {
    guard writes.pending.inFlight.isEmpty else { return }
    guard writes.isEmpty else { return writes.flush() }
    writes.closingCode = writes.failureCode ?? 0
    file.close()
    block.endClose()
  }
}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
