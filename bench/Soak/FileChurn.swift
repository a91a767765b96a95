import UV

/// The part of a soak that is about files.
final class FileChurn {
  private let loop: EventLoop
  private let directory: String
  private var number = 0

  init(_ loop: EventLoop, _ directory: String) {
    self.loop = loop
    self.directory = directory
  }

  private func nextPath() -> String {
    number += 1
    return "\(directory)/\(number)"
  }

  /// Makes a file, reads it back and removes it; some of it may be cancelled on the way.
  func roundTrip(_ random: RandomSource) async throws(UVError) {
    let path = nextPath()
    let bytes = Bytes(repeating: UInt8(truncatingIfNeeded: random.next()), count: random.number(1...20_000))
    let cancels = random.oneIn(3)
    let file = try await loop.files.open(path, .readWrite, options: [.create]).value
    do throws(UVError) {
      if cancels {
        let write = file.write(bytes, at: 0) { _ in }
        try await loop.sleep(for: .zero).value
        write.cancel()
      } else {
        try await file.write(bytes, at: 0).value
        guard try await file.read(bytes.count, at: 0).value == bytes else {
          throw UVError(.invalidArgument, operation: "fs_read", subject: Churn.difference)
        }
      }
      if random.oneIn(2) { try await file.close().value }
    } catch {
      file.close()
      _ = try? await loop.files.unlink(path).value
      throw error
    }
    try await loop.files.unlink(path).value
  }

  /// Writes and reads a file whole.
  func wholeFile(_ random: RandomSource) async throws(UVError) {
    let path = nextPath()
    let bytes = Bytes(repeating: UInt8(truncatingIfNeeded: random.next()), count: random.number(0...50_000))
    try await loop.files.writeFile(path, bytes, atomically: random.oneIn(8)).value
    let found = try await loop.files.readFile(path).value
    try await loop.files.unlink(path).value
    guard found == bytes else {
      throw UVError(.invalidArgument, operation: "read_file", subject: Churn.difference)
    }
  }
}
