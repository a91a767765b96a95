import BenchKit

/// Where the results of many runs are kept. A folder may hold other files; one of those is said to be left out.
enum ResultsFolder {
  /// The results in the file of this path, or in the JSON files of the folder of this path, in the order of their names.
  static func results(at path: String) throws -> [Results] {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard attributes?[.type] as? FileAttributeType == .typeDirectory else {
      return [try ResultsFile.read(path)]
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".json") }
    guard !names.isEmpty else { throw UsageError("there is no JSON file in \(path)") }
    return try names.sorted().compactMap { name in
      try leavingOutOthers { try ResultsFile.read(path + (path.hasSuffix("/") ? "" : "/") + name) }
    }
  }

  /// Those in the JSON files of a branch of the repository around the working directory, or of one of its folders.
  static func results(ofBranch branch: String) throws -> [Results] {
    let parts = branch.split(separator: ":", maxSplits: 1).map(String.init)
    guard let name = parts.first, !branch.hasPrefix("-") else { throw UsageError("--branch needs a name") }
    let folder = parts.count > 1 ? ["--", parts[1]] : []
    let list = try output(of: ["git", "ls-tree", "-r", "--full-tree", "--name-only", name] + folder)
    let files = list.split(separator: "\n").filter { $0.hasSuffix(".json") }.map { "\(name):\($0)" }
    guard !files.isEmpty else { throw UsageError("there is no JSON file in \(branch)") }
    return try files.compactMap { file in
      let text = try output(of: ["git", "show", file])
      return try leavingOutOthers { try ResultsFile.results(text, from: file) }
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
