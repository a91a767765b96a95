import CSimulation
import Glibc
public import UV

extension World {
  /// Adds a program that hosts may start, with `loop.processes.spawn` or libuv's `uv_spawn`. It runs on an
  /// event loop of its own, in a process of its own on the host that starts it.
  ///
  /// ```swift
  /// world.executable("greet") { loop, arguments in
  ///   try await loop.standardOutput.write("hello \(arguments[0])").value
  ///   return 0
  /// }
  /// world.host("server") { loop in
  ///   let child = try loop.processes.spawn("greet", ["world"], stdio: [.ignore, .pipe])
  ///   let greeting = try await child.standardOutput!.readToEnd(limit: 100).value
  ///   let status = try await child.exit().value
  /// }
  /// ```
  ///
  /// A process has descriptors, signals, an environment and a working directory of its own. It shares the
  /// host's disk, addresses, clocks and limits. It ends as on Linux: when the program returns or calls
  /// `exit`, by a signal, and with its machine. When the process ends that has started it, it goes on,
  /// unless it takes the end of its standard input for its own. The world doesn't wait for it.
  ///
  /// A program that isn't there is `noSuchFile`, and a file of the host's disk `permissionDenied`. `print` and
  /// `readLine` are the process's own; C's `printf` writes to the output of the whole test.
  ///
  /// - Parameters:
  ///   - name: What it is started by: a name, which is found in `/bin`, `/usr/bin` and their like, too, or a
  ///     path.
  ///   - program: What a process runs. It gets its loop and the arguments after its name, and returns its exit
  ///     code, from 0 to 255. If it throws, the error is written to its standard error, and the code is 1.
  public func executable(
    _ name: String,
    _ program: nonisolated(nonsending) @escaping @Sendable (EventLoop, [String]) async throws -> Int
  ) {
    executable(name) { arguments in
      let body: nonisolated(nonsending) @Sendable (EventLoop) async throws -> Int = { loop in
        loop.name = name
        return try await program(loop, arguments)
      }
      return try EventLoop.run(body)
    }
  }

  /// Adds a program that makes its own loops, or none; see ``executable(_:_:)``.
  ///
  /// - Parameters:
  ///   - name: What it is started by.
  ///   - main: What the process's main thread runs. It gets the arguments after its name, and returns its exit
  ///     code.
  public func executable(_ name: String, main: @escaping @Sendable ([String]) throws -> Int) {
    precondition(!name.isEmpty, "a program has a name")
    let executable = Executable(name, main)
    executables.append(executable)
    sim_program_add(
      name,
      { context, count, arguments in
        // Sound: the world holds it until its end.
        let executable = Unmanaged<Executable>.fromOpaque(context!).takeUnretainedValue()
        return executable.run((1..<max(1, Int(count))).map { String(cString: arguments![$0]!) })
      }, Unmanaged.passUnretained(executable).toOpaque())
  }
}

/// A program that hosts may start.
final class Executable: Sendable {
  private let name: String
  private let main: @Sendable ([String]) throws -> Int

  init(_ name: String, _ main: @escaping @Sendable ([String]) throws -> Int) {
    self.name = name
    self.main = main
  }

  func run(_ arguments: [String]) -> Int32 {
    do {
      return Int32(truncatingIfNeeded: try main(arguments))
    } catch {
      let text = Array("\(name): \(error)\n".utf8)
      // Nobody may read it.
      _ = write(2, text, text.count)
      return 1
    }
  }
}
