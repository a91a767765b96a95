import SimulatedWorlds
import UV
import WorldSupport

/// Where a program runs: its names, and how exact its times are.
public struct ProgramPlace: Sendable {
  /// Its files are in this folder, and its server has this name.
  var folder = "/tmp", server = "server"
  /// The first of three ports.
  var port = 7
  /// Whether it runs on the system's kernel.
  var isReal = false
  /// How late an answer may be, beside what the program computes itself.
  var slack = Duration.milliseconds(50)
  /// By then every task has done what it can without the end of the streams.
  var patience = Duration.seconds(30)

  /// The simulation.
  init() {}

  /// The machine, where others may hold up a program for as long as they like. So nothing is too late; but nothing is early.
  ///
  /// - Parameters:
  ///   - folder: An empty folder.
  ///   - port: The first of three ports that nobody has.
  public init(folder: String, port: Int) {
    (self.folder, self.port) = (folder, port)
    server = "localhost"
    isReal = true
    slack = .seconds(300)
    patience = .seconds(2)
  }

  /// A program that writes what it reads, and ends with a code.
  var filter: String { isReal ? "/bin/sh" : "filter" }

  func arguments(_ code: String) -> [String] { isReal ? ["-c", "cat; exit \(code)"] : [code] }
}

extension RandomProgram {
  /// Runs it with both sides on one loop, on the machine, and compares with the model.
  public func run(at place: ProgramPlace) throws {
    let world = ProgramWorld(self, place)
    let body: nonisolated(nonsending) @Sendable (EventLoop) async throws -> Void = { loop in
      try await world.run([1, 0], on: loop)
      try await loop.expectNothingOpen()
    }
    try EventLoop.run(body)
    try world.check()
  }
}
