import Foundation
import UV

/// What a program that follows a ``FileWatcher`` knows of a tree: the paths of all that is there.
///
/// It reads the tree once, when the watcher says that it is complete. From then on it looks only at the reports.
final class TreeModel {
  let root: String
  private(set) var paths: Set<String> = []
  /// How many paths are right below each.
  private var counts: [String: Int] = [:]
  private(set) var overflows = 0
  private(set) var completions = 0
  private(set) var seen: [String: FileEvent.Kinds] = [:]
  private(set) var errors: [String: UVError] = [:]

  init(_ root: String) { self.root = root }

  func take(_ event: FileEvent) {
    if event.kinds.contains(.complete) {
      completions += 1
      if completions == 1 { Self.all(root).forEach(add) }
    }
    guard let name = event.name?.string else {
      if event.kinds.contains(.overflow) { overflows += 1 }
      return
    }
    seen[name, default: []].formUnion(event.kinds)
    if let error = event.error { errors[name] = error }
    if completions == 0 { return }
    if event.kinds.contains(.overflow) {
      let prefix = name == "." ? "" : name + "/"
      let old = paths.filter { $0.hasPrefix(prefix) && !$0.dropFirst(prefix.count).contains("/") }
      let new = Self.names(root + "/" + name).map { prefix + $0 }
      for path in old where !new.contains(path) { forget(path) }
      new.forEach(add)
    }
    if event.kinds.contains(.rename), name != "." {
      forget(name)
      // A folder above it may be a link by now.
      let isInTree = name.indices.allSatisfy { name[$0] != "/" || Self.isFolder("\(root)/\(name[..<$0])") }
      if isInTree, Self.isThere(root + "/" + name) {
        add(name)
        guard Self.isFolder(root + "/" + name) else { return }
        for path in Self.all(root + "/" + name) { add("\(name)/\(path)") }
      }
    }
  }

  func forgetWhatWasSeen() { seen = [:] }

  private func parent(_ path: String) -> String {
    path.split(separator: "/").dropLast().joined(separator: "/")
  }

  /// What is at a path shows that the folders above it are there, too.
  private func add(_ path: String) {
    guard paths.insert(path).inserted else { return }
    let parent = parent(path)
    counts[parent, default: 0] += 1
    if !parent.isEmpty { add(parent) }
  }

  private func forget(_ path: String) {
    for gone in counts[path] == nil ? [path] : paths.filter({ $0 == path || $0.hasPrefix(path + "/") }) {
      guard paths.remove(gone) != nil, let count = counts[parent(gone)] else { continue }
      counts[parent(gone)] = count == 1 ? nil : count - 1
    }
  }

  var isRight: Bool { completions > 0 && paths == Self.all(root) }

  // MARK: The file system

  static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  static func names(_ path: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }

  /// The paths below a folder, without following links.
  static func all(_ path: String) -> Set<String> {
    var paths: Set<String> = []
    var rest = [""]
    while let folder = rest.popLast() {
      for name in names(folder.isEmpty ? path : "\(path)/\(folder)") {
        let below = folder.isEmpty ? name : "\(folder)/\(name)"
        paths.insert(below)
        if isFolder("\(path)/\(below)") { rest.append(below) }
      }
    }
    return paths
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  static func folders(_ path: String) -> [String] { all(path).filter { isFolder("\(path)/\($0)") } }
}

/// Operations on a tree and on a folder beside it, drawn from a seed.
struct TreeOperations {
  let inside, outside: String
  private var state: UInt64

  init(inside: String, outside: String, seed: UInt64) {
    (self.inside, self.outside, state) = (inside, outside, seed)
  }

  private mutating func draw(_ limit: Int) -> Int {
    // SplitMix64.
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((bits ^ (bits >> 31)) % UInt64(limit))
  }

  /// Most paths are in the tree. The names are few, so that many operations meet.
  private mutating func path() -> String {
    var path = draw(8) == 0 ? outside : inside
    for _ in 0...draw(3) { path += "/" + ["a", "b", "c", "d"][draw(4)] }
    return path
  }

  /// Some fail, as there is nothing at the path, or something is.
  mutating func perform(_ count: Int) {
    for _ in 0..<count {
      let (first, second) = (path(), path())
      switch draw(12) {
      case 0...3: mkdir(first, 0o755)
      case 4: close(open(first, O_CREAT | O_WRONLY | O_CLOEXEC, 0o644))
      case 5: symlink(outside, first)
      case 6: rmdir(first)
      case 7: unlink(first)
      case 8 where draw(8) == 0: try? FileManager.default.removeItem(atPath: first)
      #if os(Linux)
      case 9: exchange(first, second)
      #endif
      default: rename(first, second)
      }
    }
  }
}

#if os(Linux)
/// Has two files or directories change places. The function isn't in Swift's module of the C library.
func exchange(_ first: String, _ second: String) {
  typealias Rename =
    @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
  let rename = unsafeBitCast(dlsym(nil, "renameat2"), to: Rename.self)
  _ = rename(AT_FDCWD, first, AT_FDCWD, second, 2)
}
#endif
