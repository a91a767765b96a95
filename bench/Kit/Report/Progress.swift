#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One line that tells how far a run has come. It is shown on a terminal only.
public final class Progress {
  private let shown: Bool
  private let started = ProcessUsage.now().wall

  /// A progress line on standard error, if that is a terminal and it shall be shown.
  public init(isShown: Bool = true) { shown = isShown && isatty(STDERR_FILENO) == 1 }

  /// Replaces the line. `share` (0 to 1) is how much of the work is done.
  public func show(_ text: String, share: Double) {
    guard shown else { return }
    let elapsed = Double(ProcessUsage.now().wall - started) / 1e9
    let left = share > 0.02 ? ", \(Int(elapsed / share - elapsed)) s left" : ""
    emit("\r\u{1B}[K\(Int(share * 100))%  \(text)\(left)")
  }

  /// Takes the line away.
  public func clear() { if shown { emit("\r\u{1B}[K") } }

  private func emit(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}
