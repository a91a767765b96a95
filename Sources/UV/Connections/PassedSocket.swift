import CUV
import Synchronization

/// A listening socket that another process has passed to this one, and that no listener has taken yet.
final class PassedSocket: Sendable {
  let name: String
  /// Where the socket listens, as `ListeningPlace` writes it.
  let place: String
  /// Whether this process is to remove the socket's file at its end. systemd removes its own.
  let removesFile: Bool
  private let descriptor: Atomic<Int32>

  init(_ descriptor: Int32, name: String, place: String, removesFile: Bool) {
    self.descriptor = Atomic(descriptor)
    self.name = name
    self.place = place
    self.removesFile = removesFile
  }

  deinit {
    let descriptor = take()
    if descriptor >= 0 { _ = CUV.close(descriptor) }
  }

  /// The descriptor, which belongs to the caller from now on.
  func take() -> Int32 { descriptor.exchange(-1, ordering: .relaxed) }
}
