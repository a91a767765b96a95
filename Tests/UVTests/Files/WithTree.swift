import Foundation
import Testing
import UV
import UVTestSupport

/// Watches a folder `inside`, which `prepare` may fill. The folder `outside` is beside it.
func withTree(
  sourceLocation: SourceLocation = #_sourceLocation, prepare: (String) throws -> Void = { _ in },
  _ body:
    nonisolated(nonsending) @escaping @Sendable (EventLoop, FileWatcher, TreeModel) async throws -> Void
) async throws {
  try await withTemporaryDirectory { directory in
    let root = "\(directory)/inside"
    for name in ["inside", "outside"] { mkdir("\(directory)/\(name)", 0o755) }
    try prepare(root)
    try await withLoop(sourceLocation: sourceLocation) { loop in
      let watcher = try loop.files.watch(root, recursive: true)
      try await body(loop, watcher, TreeModel(root))
      watcher.close()
    }
  }
}

/// Whether this process can't read each directory, as root can.
let permissionsCount: Bool = {
  let path = NSTemporaryDirectory() + "/permissions-\(getpid())"
  mkdir(path, 0)
  defer { rmdir(path) }
  return access(path, R_OK) != 0
}()

/// Follows the watcher until the condition holds. A watcher that has lost something never comes to that.
nonisolated(nonsending) func follow(
  _ watcher: FileWatcher, _ model: TreeModel, until condition: () -> Bool
) async throws {
  while !condition() {
    guard let event = try await watcher.next().value else { return }
    model.take(event)
  }
}

/// Follows until the model is right and stays so, as long as events come.
nonisolated(nonsending) func follow(_ watcher: FileWatcher, _ model: TreeModel) async throws {
  let end = "\(model.root)/end"
  mkdir(end, 0o755)
  model.forgetWhatWasSeen()
  try await follow(watcher, model) { model.seen["end"] != nil && model.isRight }
  rmdir(end)
  model.forgetWhatWasSeen()
  try await follow(watcher, model) { model.seen["end"] != nil && model.isRight }
}

/// Makes a folder in each folder. That it is reported shows that the folder is watched, by its present name.
nonisolated(nonsending) func expectEachFolderIsWatched(
  _ watcher: FileWatcher, _ model: TreeModel, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  try await follow(watcher, model)
  let names = TreeModel.folders(model.root).map { "\($0)/probe" } + ["probe"]
  for name in names { mkdir("\(model.root)/\(name)", 0o755) }
  try await follow(watcher, model) { names.allSatisfy { model.seen[$0] != nil } }
  model.forgetWhatWasSeen()
  for name in names { rmdir("\(model.root)/\(name)") }
  try await follow(watcher, model) { names.allSatisfy { model.seen[$0] != nil } }
  try await follow(watcher, model)
}
