import CUV

/// The error of an operation: libuv's code, its name and message, and what was being done to what.
///
/// `UVError` is the only error that this module throws, and every throwing function says so in its type:
///
/// ```swift
/// do throws(UVError) {
///   let status = try await loop.files.stat("/nowhere").value
///   print(status.size)
/// } catch {
///   switch error.code {
///   case .noSuchFile: print("no such file")
///   default: print(error)  // stat /nowhere: no such file or directory (ENOENT)
///   }
/// }
/// ```
public struct UVError: Error, Sendable {
  /// Behind a reference, because every completion passes a `Result`: with the error in place, it would take five
  /// words more to copy than its value.
  private final class Contents: Sendable {
    let code: Code
    let operation: String
    let subject: String?

    init(_ code: Code, _ operation: String, _ subject: String?) {
      self.code = code
      self.operation = operation
      self.subject = subject
    }
  }

  /// Never nil. An optional is an integer to LLVM, where a reference would be a pointer: Swift 6.3.1's optimizer
  /// makes one of two stores of pointers at the end of a function that throws, one of which is the error's, and then
  /// crashes. See Design/0020.
  private let storage: Contents?
  private var contents: Contents { storage! }

  /// The kind of failure.
  public var code: Code { contents.code }

  /// The operation that failed, by its name in libuv without the prefix: `"connect"`, `"fs_open"`.
  public var operation: String { contents.operation }

  /// The path, address or name that the operation was about, where there is one.
  public var subject: String? { contents.subject }

  /// Creates an error; for code that reports failures in this library's own form, such as a test double.
  public init(_ code: Code, operation: String, subject: String? = nil) {
    storage = Contents(code, operation, subject)
  }

  /// The symbolic name of the code, for example `"ECONNREFUSED"`.
  ///
  /// The corresponding libuv function is `uv_err_name_r`.
  public var name: String { code.name }

  /// The system's message for the code, for example `"connection refused"`.
  ///
  /// The corresponding libuv function is `uv_strerror_r`.
  public var message: String { code.message }

  /// Whether the operation ended because it was cancelled: by its `PendingRequest`, by its task, or because its
  /// handle was closed.
  ///
  /// A cancelled task hears of its cancellation in the type of the function that it waits in. Where that is
  /// `throws(UVError)`, as for each request and source, the error is a `UVError` with ``Code/cancelled``. Where it is any
  /// error, as for ``LoopClock/sleep(until:tolerance:)``, the error is Swift's `CancellationError`, which is what code
  /// over any clock, promise or future expects. An error that your own code throws is passed on as it is, and never
  /// converted.
  public var isCancelled: Bool { code == .cancelled }
}

extension UVError: Hashable {
  /// Whether both say the same.
  public static func == (a: UVError, b: UVError) -> Bool {
    a.code == b.code && a.operation == b.operation && a.subject == b.subject
  }

  /// Hashes what the error says.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(operation)
    hasher.combine(subject)
  }
}

extension UVError: CustomStringConvertible {
  /// One line that names the operation, its subject, the message and the code.
  public var description: String {
    let what = subject.map { "\(operation) \($0)" } ?? operation
    return "\(what): \(message) (\(name))"
  }
}
