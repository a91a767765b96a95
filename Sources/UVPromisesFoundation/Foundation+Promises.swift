public import Foundation
public import UVPromises

extension URLError: CancellableError {
  /// Whether the request was cancelled.
  ///
  /// PromiseKit's `isCancelled`.
  public var isCancelled: Bool { code == .cancelled }
}

extension CocoaError: CancellableError {
  /// Whether the user cancelled the work.
  ///
  /// PromiseKit's `isCancelled`.
  public var isCancelled: Bool { code == .userCancelled }
}

extension PMKError: LocalizedError {}
