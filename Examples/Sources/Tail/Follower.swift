import UV

/// Prints a file piece by piece, and knows how far it has come.
struct Follower {
  /// How much is read at a time. The next piece is read when this one has been printed.
  private static let pieceCount = 64 * 1024

  private let path: FilePath
  private let output: ByteStream
  private var file: File
  private var position: Int64 = 0

  init(_ file: File, _ path: FilePath, _ output: ByteStream) {
    self.file = file
    self.path = path
    self.output = output
  }

  /// Prints the last lines, and remembers where they end.
  mutating func printLast(_ lines: Int) async throws {
    position = try await start(ofLast: lines)
    try await printToEnd()
  }

  /// Prints what has been appended. If another file has taken the name, it is printed from its beginning.
  mutating func printRest() async throws {
    try await printToEnd()
    let now: FileStatus
    do throws(UVError) { now = try await file.loop.files.stat(path).value } catch {
      // The old file has gone, and the new one hasn't come. There will be another change.
      if error.code == .noSuchFile { return }
      throw error
    }
    let before = try await file.stat().value
    if (now.device, now.inode) != (before.device, before.inode) {
      file = try await file.loop.files.open(path).value
    } else if now.size >= position {
      return
    }
    // Another file, or the same one cut short.
    position = 0
    try await printToEnd()
  }

  private mutating func printToEnd() async throws {
    while true {
      let bytes = try await file.read(Self.pieceCount, at: position).value
      if bytes.isEmpty { return }
      position += Int64(bytes.count)
      try await output.write(bytes).value
    }
  }

  /// Where the last lines begin. The file is read backwards, since it may be long.
  private func start(ofLast lines: Int) async throws(UVError) -> Int64 {
    let size = try await file.stat().value.size
    if lines == 0 { return size }
    var missing = lines
    var end = size
    while end > 0 {
      let begin = max(end - Int64(Self.pieceCount), 0)
      let bytes = try await file.read(Int(end - begin), at: begin).value
      for index in bytes.indices.reversed() where bytes[index] == UInt8(ascii: "\n") {
        let next = begin + Int64(index) + 1
        // The last line's end begins no line.
        if next == size { continue }
        missing -= 1
        if missing == 0 { return next }
      }
      end = begin
    }
    return 0
  }
}
