// Prints the end of a file, and what is appended to it: `Tail --follow FILE`, `Tail --help`.
//
// A log file is often replaced by a new one of the same name. The program then goes on with the new one.
import ArgumentParser
import Foundation
import UV

@main
struct Tail: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints the end of a file, and what is appended to it.")

  @Argument(help: "The file to print.") var file: String
  @Option(name: [.customShort("n"), .long], help: "How many of the last lines to print.") var lines = 10
  @Flag(name: .shortAndLong, help: "Go on until SIGTERM or SIGINT, also if the file is replaced.")
  var follow = false

  func validate() throws {
    guard lines >= 0 else { throw ValidationError("--lines is 0 or more.") }
  }

  func run() throws {
    do {
      try EventLoop.run { loop in try await tail(loop) }
    } catch let error as UVError where error.code == .brokenPipe {
      // The reader of the output has seen enough.
    }
  }

  private func tail(_ loop: EventLoop) async throws {
    let path = FilePath(file)
    let output = try loop.standardOutput
    // The directory is watched, and not the file, which may be replaced. It is watched before anything is
    // read, so that no change is missed.
    let changes = try follow ? loop.files.watch(directory(of: path)) : nil
    var follower = try await Follower(loop.files.open(path).value, path, output)
    try await follower.printLast(lines)
    guard let changes else { return }
    for signal in [Signal.terminate, .interrupt] {
      let signals = try loop.signals(signal)
      signals.keepsLoopRunning = false
      // A watcher that is closed ends without an error. The last lines are printed first.
      signals.start { _ in changes.close() }
    }
    for try await change in changes {
      // A change without a name may be of any file.
      if let name = change.name, name.lastComponent != path.lastComponent { continue }
      try await follower.printRest()
    }
  }

  private func directory(of path: FilePath) -> FilePath {
    let directory = path.removingLastComponent()
    return directory.isEmpty ? "." : directory
  }
}
