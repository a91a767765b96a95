import UV

/// A file of records to which records are appended. A record that was answered is there after any crash, of
/// the program or of the machine, and all that were answered before it.
///
/// Each record has eight bytes before it: a checksum (CRC-32C) of what follows, and its length. Many appends
/// are written and synchronized together, since waiting for the disk costs the most by far ("group commit").
/// One process at a time may have the file open.
final class AppendLog {
  private static let headerCount = 8
  /// The longest record, in bytes. A length beyond it isn't believed.
  static let longestRecord = 16 << 20

  private let file: File
  private var end: Int64
  private var waiting: [(record: Bytes, done: Completion<Void>)] = []
  private var isWriting = false
  private var failure: UVError?

  private init(_ file: File, end: Int64) {
    self.file = file
    self.end = end
  }

  // MARK: Opening

  /// Opens a log, or creates it.
  ///
  /// - Returns: The log, the records in it, and how many bytes of unconfirmed records were cut.
  static func open(
    _ path: FilePath, on loop: EventLoop
  ) async throws(UVError) -> (log: AppendLog, records: [Bytes], cutCount: Int) {
    let file = try await loop.files.open(path, .readWrite, options: .create).value
    // The file's name must be on the disk before any record counts.
    let parent = path.removingLastComponent()
    let directory = try await loop.files.open(parent.isEmpty ? "." : parent).value
    try await directory.sync().value
    try await directory.close().value

    let bytes = try await loop.files.readFile(path).value
    var records: [Bytes] = []
    var end = 0
    while let record = record(of: bytes, at: end) {
      records.append(record)
      end += headerCount + record.count
    }
    // Only what was never synchronized can be torn, and so was never answered.
    try await file.truncate(to: Int64(end)).value
    // The last records may have been written by a program that was killed before it could synchronize them.
    // From now on they are shown, so they must last.
    try await file.sync().value
    return (AppendLog(file, end: Int64(end)), records, bytes.count - end)
  }

  /// The record that begins at `position`; nil if there is none, or only a part.
  private static func record(of bytes: Bytes, at position: Int) -> Bytes? {
    guard bytes.count - position >= headerCount else { return nil }
    let count = Int(bytes.bigEndian(UInt32.self, at: position + 4))
    let begin = position + headerCount
    guard count <= longestRecord, bytes.count - begin >= count else { return nil }
    let isWhole =
      Bytes(bytes[(position + 4)..<(begin + count)]).crc32c == bytes.bigEndian(UInt32.self, at: position)
    return isWhole ? Bytes(bytes[begin..<(begin + count)]) : nil
  }

  private static func frame(_ record: Bytes) -> Bytes {
    var frame = BytesBuilder(capacity: headerCount + record.count)
    frame.append(bigEndian: UInt32(record.count))
    frame.append(record)
    let rest = frame.takeBytes()
    frame.append(bigEndian: rest.crc32c)
    frame.append(rest)
    return frame.takeBytes()
  }

  // MARK: Appending

  /// Appends a record.
  ///
  /// - Parameter record: Up to ``longestRecord`` bytes.
  /// - Returns: A request that succeeds when the record has reached the disk. It can't be cancelled: a caller
  ///   that gives up doesn't know whether the record is there. When one fails, all later ones fail with the
  ///   same error, since nobody knows what the disk has. Open the log anew.
  func append(_ record: Bytes) -> Request<Void> {
    Request(file.loop) { [self] done in
      append(record, done)
      return PendingRequest()
    }
  }

  /// Appends a record; see ``append(_:)``.
  func append(_ record: Bytes, _ done: @escaping Completion<Void>) {
    let error = record.count > Self.longestRecord ? UVError(.messageTooLong, operation: "append") : failure
    if let error { return file.loop.queueMicrotask { done(.failure(error)) } }
    waiting.append((record, done))
    if isWriting { return }
    isWriting = true
    // Those that are appended in the same turn are written together.
    file.loop.queueMicrotask { [self] in writeWaiting() }
  }

  /// Closes the file, after the appends that were answered.
  func close() -> Request<Void> { file.close() }

  private func writeWaiting() {
    let batch = waiting
    waiting = []
    let frames = batch.map { Self.frame($0.record) }
    file.write(frames, at: end) { [self] result in
      if case .failure(let error) = result { return fail(batch, error) }
      end += frames.reduce(0) { $0 + Int64($1.count) }
      file.dataSync { [self] result in
        if case .failure(let error) = result { return fail(batch, error) }
        if waiting.isEmpty { isWriting = false } else { writeWaiting() }
        for (_, done) in batch { done(.success(())) }
      }
    }
  }

  private func fail(_ batch: [(record: Bytes, done: Completion<Void>)], _ error: UVError) {
    failure = error
    let all = batch + waiting
    waiting = []
    for (_, done) in all { done(.failure(error)) }
  }
}
