// Every operation on files in its callback form, one after the other in an array of closures.
import UV

enum EveryCallbackOfFiles: Program {
  typealias Step = (@escaping Completion<String>) -> Void

  static func said<T>(_ name: String, _ done: @escaping Completion<String>) -> Completion<T> {
    { result in done(result.map { _ in name }) }
  }

  static func steps(_ files: FileSystem, _ root: FilePath) -> [Step] {
    let (a, b, c) = (root.appending("a"), root.appending("b"), root.appending("c"))
    return [
      { files.mkdir(b, permissions: .ownerReadWriteExecute, said("mkdir", $0)) },
      { files.rmdir(b, said("rmdir", $0)) },
      { files.writeFile(a, "text", said("writeFile", $0)) },
      { files.access(a, .read, said("access", $0)) },
      { files.chmod(a, .ownerReadWrite, said("chmod", $0)) },
      { done in
        files.stat(a) { result in
          guard case .success(let status) = result else { return done(result.map { _ in "stat" }) }
          let (owner, group) = (UInt32(status.owner), UInt32(status.group))
          files.chown(a, owner: owner, group: group) { _ in
            files.lchown(a, owner: owner, group: group, said("chown and lchown", done))
          }
        }
      },
      { files.utime(a, accessTime: .zero, modificationTime: .zero, said("utime", $0)) },
      { files.symlink(to: a, at: b, said("symlink", $0)) },
      { files.lutime(b, accessTime: .zero, modificationTime: .zero, said("lutime", $0)) },
      { files.lstat(b, said("lstat", $0)) },
      { files.readlink(b, said("readlink", $0)) },
      { files.realpath(b, said("realpath", $0)) },
      { files.link(a, to: c, said("link", $0)) },
      { files.unlink(c, said("unlink", $0)) },
      { files.copyfile(a, to: c, options: [], said("copyfile", $0)) },
      { files.rename(c, to: b, said("rename", $0)) },
      { files.scandir(root, said("scandir", $0)) },
      { files.statfs(root, said("statfs", $0)) },
      { files.mkdtemp(root.appending("d-XXXXXX"), said("mkdtemp", $0)) },
      { files.readFile(a, maximumSize: 10, said("readFile", $0)) },
    ]
  }

  static func run(_ steps: ArraySlice<Step>, _ end: @escaping () -> Void) {
    guard let step = steps.first else { return end() }
    step { result in
      switch result {
      case .success(let name): print(name)
      case .failure(let error): print(error)
      }
      run(steps.dropFirst(), end)
    }
  }

  static func main() throws {
    EventLoop.runCallbacks { loop in
      loop.files.mkdtemp("/tmp/consumers-XXXXXX") { result in
        guard case .success(let root) = result else { return print(result) }
        run(steps(loop.files, root)[...]) { print("end") }
      }
    }
  }
}

// Prints:
// mkdir
// rmdir
// writeFile
// access
// chmod
// chown and lchown
// utime
// symlink
// lutime
// lstat
// readlink
// realpath
// link
// unlink
// copyfile
// rename
// scandir
// statfs
// mkdtemp
// readFile
// end
