/// One step of a ``RandomProgram``: a task asks for something in one of many styles, and may give up.
public struct ProgramStep: Hashable, Sendable, CustomStringConvertible {
  /// What a step does. A time is in microseconds, and streams, files and pools have the numbers of the program's lists. A
  /// task has the end of a stream that is on its own side.
  public enum Action: Hashable, Sendable {
    /// The task waits, or computes, or another one is cancelled.
    case pause(Int), compute(Int), cancelTask(Int)
    /// A sleep, and a timer that is started, moved and fires.
    case sleep(Int), timer(Int, moved: Int)
    /// Writes so many bytes, in parts.
    case write(Int, Int, parts: Int)
    /// Reads what has come, so many bytes, or up to a byte.
    case next(Int), read(Int, Int), until(Int, UInt8), peek(Int, Int), readInto(Int, Int)
    /// Has a handler for so long.
    case handler(Int, Int)
    /// Waits until nothing is left to be written, or ends the stream in one of three ways.
    case drain(Int), shutdown(Int), close(Int), reset(Int)
    /// Sets or moves a timeout; 0 for none.
    case readTimeout(Int, Int), idleTimeout(Int, Int), writeTimeout(Int, Int)
    /// A connection beside the others.
    case connect(ProgramTransport)
    /// A connection that is answered by so many bytes, and ended by the server.
    case visit(ProgramTransport, Int, ProgramFarewell)
    /// A deadline around a deadline around a sleep.
    case deadlines(Int, inner: Int, sleep: Int)
    /// Messages to another loop and back, and a change of a folder that is watched.
    case post(Int), folder(Int)
    /// Operations on a file.
    case fileWrite(Int, Int, parts: Int), fileRead(Int), fileSync(Int), fileStatus(Int), fileOpen, wholeFile(
      Int), temporaryFolder
    /// A resource of a pool, which is held for a time and given back or discarded; the end of the pool.
    case lease(Int, holding: Int, isDiscarded: Bool), closePool(Int)
    /// Work on the thread pool and on other loops, a name, a child's input and output, datagrams.
    case work(Int), submit(Int), run(Int), resolve, child(Int, code: Int), datagrams(Int, bytes: Int)
    /// A request by HTTP for so many bytes, which are answered after a time.
    case http(Int, after: Int)
  }

  /// How the step asks.
  public enum Style: Hashable, Sendable, CaseIterable { case callback, request, task, promise, publisher }

  /// How the step gives up, if it does.
  public enum End: Hashable, Sendable {
    case patient, cancelAtOnce, cancelInMicrotask, cancelNextTurn, cancel(after: Int), cancelBusy(Int),
      timeout(Int), deadline(Int)
  }

  /// The number of the task. Even ones are on the side of the client, odd ones on that of the server.
  public var task: Int
  /// What the step does.
  public var action: Action
  /// How it asks.
  public var style: Style
  /// How it gives up.
  public var end: End
  /// Whether the task goes on only when it has the answer.
  public var waits: Bool

  /// Creates a step.
  public init(
    _ task: Int, _ action: Action, _ style: Style = .callback, _ end: End = .patient, waits: Bool = false
  ) {
    (self.task, self.action, self.style, self.end, self.waits) = (task, action, style, end, waits)
  }

  /// The step as code.
  public var description: String {
    var parts = ["\(task)", ".\(action)"]
    if style != .callback || end != .patient { parts.append(".\(style)") }
    if end != .patient { parts.append(".\(end)") }
    if waits { parts.append("waits: true") }
    return ".init(\(parts.joined(separator: ", ")))".replacing("RandomPrograms.ProgramTransport", with: "")
      .replacing("RandomPrograms.ProgramFarewell", with: "")
  }
}

/// What a stream of a program is made of.
public enum ProgramTransport: Hashable, Sendable, CaseIterable { case tcp, tls, unix, pair }

/// The limits of a pool of a program. Times are in milliseconds.
public struct ProgramPool: Hashable, Sendable {
  var resources = 1, wait = 1000, creation = 10, idle = 1000, lifetime = 100_000

  /// Creates limits.
  public init(resources: Int, wait: Int, creation: Int, idle: Int, lifetime: Int) {
    (self.resources, self.wait, self.creation) = (resources, wait, creation)
    (self.idle, self.lifetime) = (idle, lifetime)
  }
}
