/// The merge base of a revision and the working directory, built beside it with the same flags.
enum BaseBuild {
  /// Builds the merge base of `revision` and HEAD, and returns the program and the commit. What was built
  /// before is kept below `.build/gate`.
  static func build(_ revision: String) throws -> (program: String, name: String) {
    let root = try line(["git", "rev-parse", "--show-toplevel"], or: "this is not a working copy of git")
    let commit = try line(
      ["git", "merge-base", revision, "HEAD"], or: "`\(revision)` has no merge base with HEAD")
    let tree = "\(root)/.build/gate/\(commit)"
    if !isWhole(tree, commit) {
      try? FileManager.default.removeItem(atPath: tree)
      try run(["git", "-C", root, "worktree", "prune"])
      try run(["git", "-C", root, "worktree", "add", "--force", "--detach", tree, commit])
    }
    // The package that has the program: the folder `bench`, or before there was one the checkout itself.
    let (here, there) = (package(in: root), package(in: tree))
    try pinDependencies(from: here, to: there)
    let build = ["swift", "build", "-c", "release", "--package-path", there]
    try run(build + ["--product", BenchMain.current.name])
    let path = try line(build + ["--show-bin-path"], or: "where did the build go?")
    return (path + "/" + BenchMain.current.name, String(commit.prefix(12)))
  }

  private static func package(in folder: String) -> String {
    FileManager.default.fileExists(atPath: "\(folder)/bench/Package.swift") ? "\(folder)/bench" : folder
  }

  /// Whether the working copy is there, all of it and unchanged: the command that made it may
  /// have been killed in the middle.
  private static func isWhole(_ tree: String, _ commit: String) -> Bool {
    let files = FileManager.default
    guard files.fileExists(atPath: tree + "/.git"), files.fileExists(atPath: tree + "/Package.swift")
    else { return false }
    return Executable.firstLine(of: ["git", "-C", tree, "rev-parse", "HEAD"]) == commit
      && Executable.firstLine(of: ["git", "-C", tree, "status", "--porcelain", "-uno"]).isEmpty
  }

  /// Both sides shall be built with the same versions of what they depend on, which are
  /// chosen when a working copy is first built and are not under version control.
  private static func pinDependencies(from root: String, to tree: String) throws {
    let (own, theirs) = (root + "/Package.resolved", tree + "/Package.resolved")
    guard let versions = try TextFile.text(of: own) else { return }
    let tracked = Executable.firstLine(of: ["git", "-C", tree, "ls-files", "Package.resolved"])
    guard tracked.isEmpty else { return }
    if try TextFile.text(of: theirs) != versions { try AtomicFile.write(versions, to: theirs) }
  }

  private static func line(_ command: [String], or failure: String) throws -> String {
    let line = Executable.firstLine(of: command, within: 120)
    guard !line.isEmpty else { throw UsageError("--against: \(failure)") }
    return line
  }

  private static func run(_ command: [String]) throws {
    RootCommand.complain("gate: " + command.joined(separator: " "))
    try Executable.run(command) { RootCommand.complain("  " + $0) }
  }
}
