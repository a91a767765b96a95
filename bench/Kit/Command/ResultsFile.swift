/// A file that `run --json` wrote.
enum ResultsFile {
  /// What a file says of its own form, whatever the form.
  private struct Form: Decodable {
    var schema: Int?
  }

  /// Its results. What is wrong with it is said in a line.
  static func read(_ path: String) throws -> Results {
    guard let text = try TextFile.text(of: path) else {
      throw UsageError("cannot read \(path): there is no such file")
    }
    return try results(text, from: path)
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
      throw UsageError("\(path) \(complaint(error)); it is no file of `run --json`")
    }
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

/// A folder may hold other files; one of those is said to be left out.
extension ResultsFile {
  /// The results in the file of this path, or in the JSON files of the folder of this path, in the order of
  /// their names.
  static func results(at path: String) throws -> [Results] {
    guard TextFile.isDirectory(path) else { return [try read(path)] }
    let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".json") }
    guard !names.isEmpty else { throw UsageError("there is no JSON file in \(path)") }
    return try names.sorted().compactMap { name in
      try leavingOutOthers { try read(path + (path.hasSuffix("/") ? "" : "/") + name) }
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
      return try leavingOutOthers { try results(text, from: file) }
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
