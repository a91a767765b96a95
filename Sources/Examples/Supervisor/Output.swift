import Foundation
import UV

/// Standard output, whatever it is.
struct Output {
  /// Nil for a file, to which a write doesn't wait for anybody.
  private let stream: ByteStream?

  init(_ loop: EventLoop) throws(UVError) {
    switch HandleType(guessing: 1) {
    case .pipe: stream = try loop.pipes.open(fileDescriptor: 1)
    case .tcp: stream = try loop.tcp.open(fileDescriptor: 1)
    case .tty: stream = try loop.tty(1)
    default: stream = nil
    }
  }

  /// Writes, and returns when the system has taken it: a slow reader slows this program down.
  func write(_ bytes: Bytes) async throws {
    if let stream {
      try await stream.write(bytes).value
    } else {
      try FileHandle.standardOutput.write(contentsOf: Data(bytes))
    }
  }
}
