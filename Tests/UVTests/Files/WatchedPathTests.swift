import Foundation
import Testing
import UV
import UVTestSupport

/// The paths by which a program names what it watches: each is what the system takes it for.
@Suite(.serialized, .onTheMachine("links and working directories")) struct WatchedPathTests {
  /// Ways to write the path of the folder `tree`, in a folder of the test's own.
  static let forms: [(text: String, isRelative: Bool)] = [
    ("tree", false), ("tree/", false), ("./tree", false), ("tree/.", false), ("tree//", false),
    (".//tree/./", false),
    ("tree/inner/..", false), ("one/../tree", false), ("link", false), ("link/", false),
    ("far/../tree", false),
    ("far/../tree/inner/..", false), ("one/up/tree", false), ("loop/loop/tree", false),
    ("tree", true), ("./tree", true), ("one/../tree", true), ("link", true), ("far/../tree", true),
    ("tree/inner/../", true),
  ]

  private nonisolated(nonsending) func prepare(_ loop: EventLoop, _ root: String) async throws {
    for folder in [
      "tree", "tree/inner", "one", "elsewhere", "elsewhere/deep", "elsewhere/tree", "elsewhere/tree/inner",
    ] {
      try await loop.files.mkdir("\(root)/\(folder)").value
    }
    try await loop.files.symlink(to: "tree", at: "\(root)/link").value
    try await loop.files.symlink(to: "\(root)/elsewhere/deep", at: "\(root)/far").value
    try await loop.files.symlink(to: "..", at: "\(root)/one/up").value
    try await loop.files.symlink(to: ".", at: "\(root)/loop").value
  }

  @Test(arguments: forms, [false, true])
  func `A watcher watches what a stat of the same path finds, also once the program is in another folder`(
    form: (text: String, isRelative: Bool), isRecursive: Bool
  ) async throws {
    let before = try SystemInfo.workingDirectory()
    defer { try? SystemInfo.changeWorkingDirectory(to: before) }
    try await withLoopAndDirectory { loop, root in
      try await prepare(loop, root)
      try SystemInfo.changeWorkingDirectory(to: root)
      let path = form.isRelative ? form.text : "\(root)/\(form.text)"
      let real = try await loop.files.realpath(path).value
      let watcher = try loop.files.watch(path, recursive: isRecursive)
      #expect(try watcher.path().string == FilePath(path).string || watcher.path().string == path)
      if isRecursive {
        try SystemInfo.changeWorkingDirectory(to: "/")
        #expect(try await watcher.next().value?.kinds == .complete)
      }
      try await loop.files.writeFile(real.appending("new"), "").value
      #expect(try await watcher.next().value?.name == "new")
      if isRecursive {
        try await loop.files.mkdir(real.appending("inner/deep")).value
        try await loop.files.mkdir(real.appending("inner/deep/deeper")).value
        var names: Set<String> = []
        while !names.contains("inner/deep/deeper") {
          names.insert(try await watcher.next().value?.name?.string ?? "?")
        }
        #expect(names.isSubset(of: ["new", "inner/deep", "inner/deep/deeper", "inner"]))
      }
      watcher.close()
      try SystemInfo.changeWorkingDirectory(to: before)
    }
  }

  @Test(arguments: [false, true])
  func `A file is watched by each of its paths, too`(isRecursive: Bool) async throws {
    try await withLoopAndDirectory { loop, root in
      try await prepare(loop, root)
      try await loop.files.writeFile("\(root)/tree/f", "1").value
      for path in ["tree/f", "link/f", "far/../../tree/f", "one/up/tree/./f"] {
        let watcher = try loop.files.watch("\(root)/\(path)", recursive: isRecursive)
        if isRecursive { #expect(try await watcher.next().value?.kinds == .complete) }
        try await loop.files.chmod("\(root)/tree/f", .ownerReadWrite).value
        let event = try #require(try await watcher.next().value)
        #expect(event.kinds == .change && event.error == nil, "\(path)")
        watcher.close()
      }
    }
  }

  @Test(arguments: [false, true])
  func `What isn't there by its path isn't watched`(isRecursive: Bool) async throws {
    try await withLoopAndDirectory { loop, root in
      try await prepare(loop, root)
      for path in ["none", "none/../tree", "far/../none", "tree/none/.."] {
        await expectError(.noSuchFile, of: try loop.files.watch("\(root)/\(path)", recursive: isRecursive))
      }
      await expectError(.invalidArgument, of: try loop.files.watch("\(root)/\0", recursive: isRecursive))
    }
  }
}
