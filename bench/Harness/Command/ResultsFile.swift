/// A file that `run --json` wrote.
enum ResultsFile {
  /// What a file says of its own form, whatever the form.
  private struct Form: Decodable {
    var schema: Int?
  }

  /// Its results. What is wrong with it is said in a line.
  static func read(_ path: String) throws -> Results { try results(text(of: path), from: path) }

  private static func text(of path: String) throws -> String {
    if let text = try TextFile.text(of: path) { return text }
    throw UsageError("cannot read \(path): there is no such file")
  }

  /// The results in the text of a file; `path` is its name.
  static func results(_ text: String, from path: String) throws -> Results {
    do {
      let form = try LineJSON.value(Form.self, text)
      if let schema = form.schema, schema > Results.currentSchema {
        throw UsageError("\(path) has form \(schema); this program reads up to \(Results.currentSchema)")
      }
      return try LineJSON.value(Results.self, text)
    } catch let error as DecodingError {
      if let report = try? LineJSON.value(GateReport.self, text) {
        let state = report.reason.map { "that wasn't finished: \($0)" } ?? "of this program's own rows"
        throw UsageError(
          "\(path) is the report of a gate \(state). `history` follows files of `run --json`, and finished gates of --server or --command"
        )
      }
      throw UsageError("\(path) \(complaint(error)); it is no file of `run --json`")
    }
  }

  /// The results in a text, which may also be the report of a gate of other people's programs.
  private static func run(_ text: String, from path: String) throws -> Results {
    let report = try? LineJSON.value(GateReport.self, text)
    guard let report, !report.figures.isEmpty else { return try results(text, from: path) }
    return Results(report)
  }

  private static func complaint(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, let context): "has no `\(name(context.codingPath + [key]))`"
    case .typeMismatch(_, let context) where context.codingPath.isEmpty: "holds no object"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "has something else than it must in `\(name(context.codingPath))`"
    case .dataCorrupted(let context) where context.codingPath.isEmpty: "is not JSON"
    case .dataCorrupted(let context): "is broken in `\(name(context.codingPath))`"
    @unknown default: "cannot be read"
    }
  }

  /// `results[2].style`.
  private static func name(_ path: [any CodingKey]) -> String {
    path.reduce(into: "") { text, key in
      text += key.intValue.map { "[\($0)]" } ?? (text.isEmpty ? "" : ".") + key.stringValue
    }
  }
}

/// A folder has a file for each run. It may hold others; one of those is said to be left out.
extension ResultsFile {
  /// Throws unless a run can write there. A folder that isn't there yet is made.
  static func checkWritable(_ path: String) throws {
    guard isFolder(path) else { return try AtomicFile.checkWritable(path) }
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try AtomicFile.checkWritable(path + "/run.json")
  }

  /// Writes a run to a file, or into a folder: there its date and its commit are its name.
  static func write(_ run: some Encodable, to path: String, date: String, commit: String) throws {
    let name = date.filter { $0.isLetter || $0.isNumber } + (commit.isEmpty ? "" : "-" + commit)
    var file = isFolder(path) ? "\(path)/\(name).json" : path
    // Another run of the same second.
    if file != path, access(file, F_OK) == 0 { file = "\(path)/\(name)-\(getpid()).json" }
    try AtomicFile.write(try LineJSON.string(run, pretty: true) + "\n", to: file)
  }

  private static func isFolder(_ path: String) -> Bool { path.hasSuffix("/") || TextFile.isDirectory(path) }

  /// The results in the file of this path, or in the JSON files of the folder of this path, in the order of
  /// their names.
  static func results(at path: String) throws -> [Results] {
    guard TextFile.isDirectory(path) else { return [try run(text(of: path), from: path)] }
    let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".json") }
    guard !names.isEmpty else { throw UsageError("there is no JSON file in \(path)") }
    return try names.sorted().compactMap { name in
      let file = path + (path.hasSuffix("/") ? "" : "/") + name
      return try leavingOutOthers { try run(text(of: file), from: file) }
    }
  }

  /// Those in the JSON files of a branch of the repository around the working directory, or of one of its
  /// folders.
  static func results(ofBranch branch: String) throws -> [Results] {
    let parts = branch.split(separator: ":", maxSplits: 1).map(String.init)
    guard let name = parts.first, !branch.hasPrefix("-") else { throw UsageError("--branch needs a name") }
    let folder = parts.count > 1 ? ["--", parts[1]] : []
    let list = try output(of: ["git", "ls-tree", "-r", "--full-tree", "--name-only", name] + folder)
    let files = list.split(separator: "\n").filter { $0.hasSuffix(".json") }.map { "\(name):\($0)" }
    guard !files.isEmpty else { throw UsageError("there is no JSON file in \(branch)") }
    return try files.compactMap { file in
      let text = try output(of: ["git", "show", file])
      return try leavingOutOthers { try run(text, from: file) }
    }
  }

  private static func leavingOutOthers(_ read: () throws -> Results) throws -> Results? {
    do {
      return try read()
    } catch let error as UsageError {
      RootCommand.complain("left out: \(error)")
      return nil
    }
  }

  private static func output(of command: [String]) throws -> String {
    var lines: [String] = []
    try Executable.run(command) { lines.append($0) }
    return lines.joined(separator: "\n")
  }
}
