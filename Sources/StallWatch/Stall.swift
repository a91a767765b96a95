/// A turn of a thread that takes too long, and what the thread is doing; see ``StallWatcher``.
public struct Stall: Hashable, Sendable {
  /// The name of what is watched, such as a loop's.
  public let name: String

  /// How long the turn has taken so far. It is at least the limit, and in most cases little more. The turn may
  /// go on.
  public let duration: Duration

  /// Where the task was spawned that is running, such as `Server/main.swift:12`, or `the body of run`. It is
  /// nil if whoever marks the turns doesn't know; if no task of a loop is running but a callback; and if a
  /// child of such a task is.
  public let spawnedAt: String?

  /// The addresses of ``frames``.
  let addresses: [UInt]

  /// The calls that the thread is in, the innermost first. It is empty if the turn ended before the thread
  /// could be looked at, if the thread doesn't take the signal, and on systems other than Linux on x86-64 and
  /// arm64.
  ///
  /// The names are looked up in the files of the program and its libraries each time that you ask, which
  /// takes milliseconds. A program whose symbols have been stripped has few names.
  public var frames: [StackFrame] {
    // A return address may be the first of the next function.
    let symbols = Symbols(of: addresses.enumerated().map { $0 == 0 ? $1 : $1 - 1 })
    return zip(addresses, symbols.found).map { address, symbol in
      StackFrame(
        function: symbol.function, file: symbol.file, address: address, isOfProgram: symbol.isOfProgram)
    }
  }

  /// A call that a thread is in.
  public struct StackFrame: Hashable, Sendable {
    /// The name of the function, as it is written in Swift; nil if the program doesn't contain it. The
    /// function may contain others that the optimizer has put into it.
    public let function: String?

    /// The file that contains the function: the program or a library.
    public let file: String

    /// The address in memory that is being executed, or that the call returns to.
    public let address: UInt

    /// Whether the function belongs to the program, and not to the system, Swift's libraries, libuv, swift-uv
    /// or SwiftNIO.
    public let isOfProgram: Bool
  }

  /// The function of the program that blocks the thread: the innermost for which ``StackFrame/isOfProgram``
  /// is true. It is nil if there is none with a name.
  public var function: String? { Self.function(in: frames) }

  /// The same of frames that have been looked up already.
  package static func function(in frames: [StackFrame]) -> String? {
    frames.first { $0.isOfProgram && $0.function != nil }?.function
  }
}

extension Stall.StackFrame: CustomStringConvertible {
  /// The name of the function and the file's.
  public var description: String {
    "\(function ?? "0x" + String(address, radix: 16)) in \(file.split(separator: "/").last ?? "?")"
  }
}

extension Stall: CustomStringConvertible {
  /// The text that is written by default: a line that names the function, and a line for each call.
  public var description: String {
    let frames = frames
    let culprit = Self.function(in: frames).map { " in \($0)" } ?? ""
    let task = spawnedAt.map { ", task: \($0)" } ?? ""
    let head = "\(name) has not waited for events for \(duration)\(culprit)\(task)"
    return ([head] + frames.map { "    \($0)" }).joined(separator: "\n")
  }
}
