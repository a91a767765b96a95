import CUV

/// The error of an operation: libuv's code with its name and message, the operation that failed, and what it
/// was about.
///
/// The requests, sources and functions of this module throw `UVError`, and say so in their type. The one
/// exception is ``LoopClock/sleep(until:tolerance:)``, which throws `CancellationError` as every `Clock`
/// does:
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
  /// The contents are behind a reference because every completion passes a `Result`. With the error in place,
  /// copying it would take five words more than copying its value.
  ///
  /// Sound: nothing in it ever changes. Only a class without subclasses can be `Sendable` without a word.
  private class Contents: @unchecked Sendable {
    let code: Code
    let operation: String
    let subject: String?

    init(_ code: Code, _ operation: String, _ subject: String?) {
      self.code = code
      self.operation = operation
      self.subject = subject
    }

    var message: String { code.message }
    var cause: (any Error)? { nil }
  }

  /// Contents with a message of their own. Only they pay for it.
  private final class ExplainedContents: Contents, @unchecked Sendable {
    let reason: String

    init(_ code: Code, _ operation: String, _ subject: String?, _ reason: String) {
      self.reason = reason
      super.init(code, operation, subject)
    }

    override var message: String { reason }
  }

  /// Contents that stand for an error of the program's.
  private final class CausedContents: Contents, @unchecked Sendable {
    private let program: any Error

    init(_ code: Code, _ operation: String, _ cause: any Error) {
      program = cause
      super.init(code, operation, nil)
    }

    override var message: String { "\(program)" }
    override var cause: (any Error)? { program }
  }

  /// This is never nil. It is optional because an optional is an integer to LLVM, and a reference would be a
  /// pointer. If a function that throws ends with two stores of pointers, one of them the error's, Swift
  /// 6.3.1's optimizer makes one store of them and then crashes. See Design/0020.
  private let storage: Contents?
  private var contents: Contents { storage! }

  /// The kind of failure.
  public var code: Code { contents.code }

  /// The operation that failed, by its libuv name without the prefix, such as `"connect"` or `"fs_open"`.
  public var operation: String { contents.operation }

  /// The path, address or name that the operation was about; nil if there is none.
  public var subject: String? { contents.subject }

  /// Creates an error. Use it in code that reports failures in this library's form, such as a test double.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - operation: The operation that failed.
  ///   - subject: The path, address or name that the operation was about.
  public init(_ code: Code, operation: String, subject: String? = nil) {
    storage = Contents(code, operation, subject)
  }

  /// Creates an error with a message of its own, for a code that stands for many reasons.
  package init(_ code: Code, operation: String, subject: String? = nil, message: String) {
    storage = ExplainedContents(code, operation, subject, message)
  }

  /// Creates an error that stands for one of the program's, where only a `UVError` can be reported.
  package init(_ code: Code, operation: String, cause: any Error) {
    storage = CausedContents(code, operation, cause)
  }

  /// The error that a function of the program's has thrown, if this one stands for it: where ``Pool`` reports that a
  /// resource couldn't be created. Nil otherwise.
  public var cause: (any Error)? { contents.cause }

  /// The symbolic name of the code, for example `"ECONNREFUSED"`.
  ///
  /// The corresponding libuv function is `uv_err_name_r`.
  public var name: String { code.name }

  /// The system's message for the code, for example `"connection refused"`. An error of TLS has OpenSSL's
  /// reason here, for example `"certificate has expired"`, and one of `UVDNS` has c-ares's.
  ///
  /// The corresponding libuv function is `uv_strerror_r`.
  public var message: String { contents.message }

  /// Whether the operation was cancelled: by its ``PendingRequest``, by its task, or because its handle was
  /// closed.
  ///
  /// The type of the function in which a cancelled task waits decides which error the task gets. A function
  /// that is `throws(UVError)`, as every request and source is, throws a `UVError` with ``Code/cancelled``. A
  /// function that may throw any error, such as ``LoopClock/sleep(until:tolerance:)``, throws Swift's
  /// `CancellationError`, which code over any clock, promise or future expects. An error that your own code
  /// throws is passed on as it is and never converted.
  public var isCancelled: Bool { code == .cancelled }
}

extension UVError: Hashable {
  /// Whether both errors have the same code, operation and subject, and, for errors of TLS and those with a ``cause``, the
  /// same message.
  public static func == (a: UVError, b: UVError) -> Bool {
    a.code == b.code && a.operation == b.operation && a.subject == b.subject
      && (a.code != .tls && a.cause == nil && b.cause == nil || a.message == b.message)
  }

  /// Hashes the code, the operation and the subject.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(operation)
    hasher.combine(subject)
  }
}

extension UVError: CustomStringConvertible {
  /// One line with the operation, its subject, the message and the code.
  public var description: String {
    let what = subject.map { "\(operation) \($0)" } ?? operation
    return "\(what): \(message) (\(name))"
  }
}

/// A callback that receives a request's value, or the error that ended the request. It is called once, on the
/// loop's thread, never before the call that it was passed to has returned. After a loop has been shut down
/// there is no later turn, so the callback receives `loopClosed` at once.
///
/// When a loop ends, it answers all pending requests in a last round. If a callback of this round makes a new
/// request, that request gets no answer, and its callback is dropped without a call. Otherwise a callback
/// that repeats its request would never come to an end. Requests of other code and of tasks still get an
/// answer, and so does every close.
public typealias Completion<Success> = (Result<Success, UVError>) -> Void
