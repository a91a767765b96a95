/// A program of others that does the work of some workloads, by the contract in `bench/peers/README.md`.
public struct Peer: Codable, Hashable, Sendable {
  public var name: String
  var style: Style
  var about: String
  /// How it is started; words with a slash in them are paths below the folder of the peers.
  var command: [String]
  /// A program that it starts, if that isn't the first word of the command.
  var needs: String?
  var workloads: [String]
  /// Whether it is one of the few that the project's front page has.
  var isOnFrontPage: Bool?

  public var row: Style { Style(rawValue: name) }

  static func list(_ text: String) throws -> [Peer] {
    do {
      return try LineJSON.value([Peer].self, text)
    } catch {
      throw UsageError("the list of peers is broken: \(error)")
    }
  }

  /// The peers in a folder, whether or not this machine can start them.
  public static func all(in folder: String) throws -> [Peer] {
    guard let text = try TextFile.text(of: folder + "/peers.json") else {
      throw UsageError("there is no \(folder)/peers.json; say where the peers are with --folder")
    }
    return try list(text)
  }

  /// The command with paths that hold outside `folder`.
  func command(in folder: String) -> [String] { command.map { Self.path($0, in: folder) } }

  private static func path(_ word: String, in folder: String) -> String {
    word.contains("/") ? folder + "/" + word : word
  }

  /// The program that this machine has not; nil when it can be started.
  public func missing(in folder: String) -> String? {
    guard let first = command.first else { return "a command" }
    return [first, needs].compactMap { $0.map { Self.path($0, in: folder) } }.first { !Self.isHere($0) }
  }

  /// Whether this machine has a program, by its name or its path.
  public static func isHere(_ program: String) -> Bool {
    let folders = getenv("PATH").map { String(cString: $0) } ?? ""
    return (program.contains("/") ? [""] : folders.split(separator: ":").map { "\($0)/" })
      .contains { access($0 + program, X_OK) == 0 }
  }
}
