public import Foundation
public import UVPromises

extension URLError: CancellableError {
  /// Whether the request was cancelled.
  public var isCancelled: Bool { code == .cancelled }
}

extension CocoaError: CancellableError {
  /// Whether the user cancelled the work.
  public var isCancelled: Bool { code == .userCancelled }
}

extension PMKError: LocalizedError {}
