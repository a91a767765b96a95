import Foundation

/// A package of a user's that depends on this one as a user's does: fetched from a repository.
struct Consumer {
  let directory: URL

  /// A package with this manifest, and an empty program for each target that has no `sources`.
  init(_ name: String, manifest: String, sources: [String: String]) throws {
    directory = try Self.home().appendingPathComponent(name)
    try? FileManager.default.removeItem(at: directory)
    for (target, text) in sources {
      let folder = directory.appendingPathComponent("Sources/\(target)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try text.write(to: folder.appendingPathComponent("main.swift"), atomically: true, encoding: .utf8)
    }
    try manifest.write(
      to: directory.appendingPathComponent("Package.swift"), atomically: true, encoding: .utf8)
  }

  /// Runs `swift` in the package; what it printed.
  func swift(_ arguments: [String]) throws -> (output: String, status: Int32) {
    try runProgram(URL(fileURLWithPath: "/usr/bin/env"), ["swift"] + arguments, in: directory)
  }

  /// The packages that were fetched for it.
  func fetched() throws -> Set<String> {
    Set(
      try FileManager.default.contentsOfDirectory(
        atPath: directory.appendingPathComponent(".build/checkouts").path))
  }

  /// The modules that a program consists of, as the package manager plans it; and how it is linked.
  func plan(of program: String) throws -> (modules: Set<String>, link: String) {
    let plan = try String(
      contentsOf: directory.appendingPathComponent(".build/debug.yaml"), encoding: .utf8)
    let lines = plan.split(separator: "\n")
    guard let end = lines.firstIndex(where: { $0.contains("\"\(program)\",\"-emit-executable\"") }),
      let inputs = lines[..<end].last(where: { $0.contains("inputs:") })
    else { throw CocoaError(.fileReadCorruptFile) }
    return (Set(inputs.matches(of: /\/debug\/(\w+)\.build\//).map { String($0.1) }), String(lines[end]))
  }

  /// The traits that `UV` is compiled with, as often as the compiler hears of each.
  func traits() throws -> [String] {
    let plan = try String(
      contentsOf: directory.appendingPathComponent(".build/debug.yaml"), encoding: .utf8)
    let known: Set = ["LinkLibuv", "Futures", "Service", "NIO", "NIOBootstraps", "Everything"]
    let command = plan.split(separator: "\n").first { $0.contains("\"-module-name\",\"UV\",") }
    return (command ?? "").matches(of: /"-D(\w+)"/).map { String($0.1) }.filter(known.contains)
  }

  /// What the dependency on this package is written as.
  static func dependency(traits: String = "") throws -> String {
    #".package(url: "file://\#(try repository.get().path)", branch: "main"\#(traits))"#
  }

  /// A clone of the repository in a folder of this name.
  static func clone(into folder: String) throws -> URL {
    let clone = try home().appendingPathComponent("\(folder)/swift-uv")
    try? FileManager.default.removeItem(at: clone)
    _ = try shell("git clone -q '\(try repository.get().path)' '\(clone.path)'", in: home())
    return clone
  }

  /// Beside what was built, in a place that stays the same: the package manager remembers what it has fetched
  /// from where.
  private static func home() throws -> URL {
    try Checkout.program("").deletingLastPathComponent().appendingPathComponent("PackageTests.consumers")
  }

  /// A repository of what lies in the checkout, committed or not.
  private static let repository = Result {
    let files = FileManager.default
    let place = try home().appendingPathComponent("swift-uv")
    try? files.removeItem(at: place)
    let list = try shell("git ls-files -z --cached --others --exclude-standard", in: Checkout.root)
    for path in list.split(separator: "\0") {
      let (file, copy) = (Checkout.root.appending(path: path), place.appending(path: path))
      // What has been removed and not committed is listed, too.
      guard files.fileExists(atPath: file.path) else { continue }
      try files.createDirectory(at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
      try files.copyItem(at: file, to: copy)
    }
    _ = try shell(
      "git init -q -b main && git add -A && git -c user.name=t -c user.email=t@example.com commit -q -m test",
      in: place)
    return place
  }

  private static func shell(_ script: String, in directory: URL) throws -> String {
    let (output, status) = try runProgram(URL(fileURLWithPath: "/bin/sh"), ["-c", script], in: directory)
    guard status == 0 else { throw CommandFailure(output: output) }
    return output
  }

  private struct CommandFailure: Error { let output: String }
}
