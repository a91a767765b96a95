import CBenchSupport

/// A program that others wrote: a command of a shell, and all that it starts. `uvbench tend` is its parent, which ends all of it with
/// this object, and when this process ends in whatever way.
final class TendedProgram {
  /// How a program has ended.
  struct Ending {
    /// That of a shell, 128 and more for a signal.
    var code: Int32
    /// Of all that had ended by then.
    var cpuNanoseconds: Double
    var peakBytes: Double
    var wallNanoseconds: Double
  }

  let command: String
  let log: String
  private let child: ChildProcess

  /// Starts `command`, whose output goes to a new file in `directory`. It may take `grace` seconds to end when it is asked to.
  init(
    _ command: String, environment: [String: String] = [:], directory: String, grace: Double = 5
  ) throws {
    self.command = command
    log = directory + "/log-\(UInt64.random(in: 0...UInt64.max))"
    child = try ChildProcess(
      [Executable.path, "tend", "\(getpid())", "\(Int(grace * 1000))", log, command],
      environment: environment, patience: grace + 5)
  }

  deinit { unlink(log) }

  /// Runs a command that makes ready for another, and waits for its end.
  static func prepare(_ command: String, environment: [String: String] = [:], directory: String) throws {
    let program = try TendedProgram(command, environment: environment, directory: directory)
    defer { program.finish() }
    guard let ending = try program.ending(within: 600) else {
      throw WrongWork("--prepare: `\(command)` has taken ten minutes")
    }
    guard ending.code == 0 else {
      throw WrongWork("--prepare: `\(command)` ended with code \(ending.code)\(program.lastWords)")
    }
  }

  /// What all of it has used by now.
  func usage(withMemory: Bool = false) -> bench_tree { bench_tree_read(child.id, withMemory ? 1 : 0) }

  /// How many of its threads work, and don't only wait.
  var busyThreads: Int { Int(bench_tree_busy_threads(child.id)) }

  /// Keeps all of it on one processor, with -1 on none in particular, or with -2 off the last.
  func confine(to processor: Int32) { bench_tree_confine(child.id, processor) }

  /// How it has ended, if it does within so many seconds; nil if it still runs then.
  func ending(within seconds: Double) throws -> Ending? {
    guard let line = try child.nextLine(within: seconds) else { return nil }
    let words = line.split(separator: " ").compactMap { Double($0) }
    guard words.count == 4 else { throw WorkerFailure("`\(command)` could not be started: \(line)") }
    return Ending(
      code: Int32(words[0]), cpuNanoseconds: words[1], peakBytes: words[2], wallNanoseconds: words[3])
  }

  /// Ends all of it, and waits for that.
  func finish() { child.kill() }

  /// The last lines that it printed, to be put at the end of a sentence.
  var lastWords: String {
    let lines = TextFile.lines(of: log).suffix(12)
    return lines.isEmpty ? "; it printed nothing" : "; it printed:\n" + lines.map { "  \($0)\n" }.joined()
  }

  /// The last line that it printed.
  var lastLine: Substring? { TextFile.lines(of: log).last }
}
