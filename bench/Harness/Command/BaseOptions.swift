import ArgumentParser

struct BaseOptions: ParsableArguments {
  @Option(help: "Compare with the merge base of this revision, which is built first.")
  var against: String?

  @Option(help: "Compare with this program, an earlier build.")
  var baseBin: String?

  func validate() throws {
    if against != nil, baseBin != nil { throw ValidationError("--against and --base-bin exclude each other") }
  }

  var isGiven: Bool { against != nil || baseBin != nil }

  func program() throws -> (program: String, name: String) {
    guard let baseBin else { return try BaseBuild.build(against ?? "HEAD") }
    guard access(baseBin, X_OK) == 0 else {
      throw UsageError("--base-bin \(baseBin): \(String(cString: strerror(errno)))")
    }
    return (baseBin.contains("/") ? baseBin : "./" + baseBin, baseBin)
  }

  var arguments: [String] {
    (against.map { ["--against", $0] } ?? []) + (baseBin.map { ["--base-bin", $0] } ?? [])
  }
}
