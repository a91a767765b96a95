import BenchKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where the results of many runs are kept.
enum ResultsFolder {
  /// A file, by its name and by how to read it.
  struct File {
    let name: String
    let read: () throws -> Results
  }

  /// The file of this path, or the JSON files in the folder of this path, in the order of their names.
  static func files(at path: String) throws -> [File] {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard attributes?[.type] as? FileAttributeType == .typeDirectory else {
      return [File(name: path) { try ResultsFile.read(path) }]
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".json") }
    guard !names.isEmpty else { throw UsageError("there is no JSON file in \(path)") }
    return names.sorted().map { name in
      let file = path + (path.hasSuffix("/") ? "" : "/") + name
      return File(name: file) { try skippingOthers { try ResultsFile.read(file) } }
    }
  }

  /// The JSON files of a branch of the repository around the working directory, or of one of its folders.
  static func files(ofBranch branch: String) throws -> [File] {
    let parts = branch.split(separator: ":", maxSplits: 1).map(String.init)
    guard let name = parts.first, !branch.hasPrefix("-") else { throw UsageError("--branch needs a name") }
    let folder = parts.count > 1 ? ["--", parts[1]] : []
    let list = try output(of: ["git", "ls-tree", "-r", "--full-tree", "--name-only", name] + folder)
    let paths = list.split(separator: "\n").map(String.init).filter { $0.hasSuffix(".json") }
    guard !paths.isEmpty else { throw UsageError("there is no JSON file in \(branch)") }
    return paths.map { path in
      File(name: "\(name):\(path)") {
        let text = try output(of: ["git", "show", "\(name):\(path)"])
        return try skippingOthers { try ResultsFile.results(text, from: "\(name):\(path)") }
      }
    }
  }

  /// A file's results. A folder may hold other files; one of those is said to be left out.
  static func results(_ file: File) throws -> Results? {
    do {
      return try file.read()
    } catch let other as NoResults {
      RootCommand.complain("left out: \(other.reason)")
      return nil
    }
  }

  /// A file of a folder is something else.
  private struct NoResults: Error { let reason: String }

  private static func skippingOthers(_ read: () throws -> Results) throws -> Results {
    do { return try read() } catch let error as UsageError { throw NoResults(reason: "\(error)") }
  }

  private static func output(of command: [String]) throws -> String {
    var lines: [String] = []
    try Executable.run(command) { lines.append($0) }
    return lines.joined(separator: "\n")
  }
}
