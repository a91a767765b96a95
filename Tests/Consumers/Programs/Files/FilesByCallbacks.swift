// Every operation on files and directories in its callback form.
import UV

enum FilesByCallbacks: Program {
  static func main() throws {
    try filesByCallbacks()
    try everyCallbackOfFiles()
    try everyCallbackOfAFile()
  }

  /// A file is written, copied and read by callbacks within callbacks.
  private static func filesByCallbacks() throws {
    EventLoop.runCallbacks { loop in
      let files = loop.files
      let path = "/tmp/consumers-callbacks-\(SystemInfo.processID)"
      files.writeFile(path, "contents") { result in
        guard case .success = result else { return print(result) }
        files.open(path, .readOnly) { result in
          guard case .success(let file) = result else { return print(result) }
          file.stat { result in
            print((try? result.get().size) ?? -1)
            file.read(4) { result in
              if case .success(let bytes) = result { print(String(decoding: bytes, as: UTF8.self)) }
              file.close { _ in
                files.unlink(path) { result in
                  if case .success = result { print("removed") }
                  files.unlink(path) { result in
                    if case .failure(let error) = result { print(error.code) }
                  }
                }
              }
            }
          }
        }
      }
    }
  }

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

  /// Every operation on files in its callback form, one after the other in an array of closures.
  private static func everyCallbackOfFiles() throws {
    EventLoop.runCallbacks { loop in
      loop.files.mkdtemp("/tmp/consumers-XXXXXX") { result in
        guard case .success(let root) = result else { return print(result) }
        run(steps(loop.files, root)[...]) { print("end") }
      }
    }
  }

  static func use(_ file: File, _ copy: File, _ done: @escaping () -> Void) {
    print(file.loop === copy.loop, file.description == file.path.string)
    file.write("0123456789", at: 0) { result in
      print("write", (try? result.get()) != nil)
      file.truncate(to: 8) { _ in
        file.sync { _ in
          file.dataSync { _ in
            file.chmod(.ownerReadWrite) { _ in
              file.utime(accessTime: .zero, modificationTime: .seconds(7)) { _ in
                file.stat { result in
                  guard case .success(let status) = result else { return print(result) }
                  print(status.size, status.modificationTime)
                  file.chown(owner: UInt32(status.owner), group: UInt32(status.group)) { _ in
                    file.sendfile(to: copy, from: 0, count: 8) { result in
                      print("sendfile", (try? result.get()) ?? -1)
                      done()
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }

  static func list(_ directory: Directory) {
    print(directory.path.isAbsolute, directory.loop.isRunning)
    directory.start { result in
      switch result {
      case .success(let entries?): print(entries.map(\.name.string).sorted())
      case .success(nil):
        print("the end")
        directory.close { _ in print("closed") }
      case .failure(let error): print(error)
      }
    }
  }

  /// Every operation on an open file and on an open directory in its callback form.
  private static func everyCallbackOfAFile() throws {
    EventLoop.runCallbacks { loop in
      let root = FilePath("/tmp/consumers-file-\(SystemInfo.processID)")
      loop.files.mkdir(root) { _ in
        loop.files.mkstemp(root.appending("a-XXXXXX")) { first in
          loop.files.mkstemp(root.appending("b-XXXXXX")) { second in
            guard case .success(let file) = first, case .success(let copy) = second else {
              return print("?")
            }
            use(file, copy) {
              file.close { _ in
                copy.close { _ in
                  print("files closed")
                  loop.files.unlink(file.path) { _ in
                    loop.files.rename(copy.path, to: root.appending("copy")) { _ in
                      loop.files.opendir(root, batchSize: 8) { result in
                        guard case .success(let directory) = result else { return print(result) }
                        list(directory)
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
    try EventLoop.run { loop in
      let root = FilePath("/tmp/consumers-file-\(SystemInfo.processID)")
      let directory = try await loop.files.opendir(root).value
      await withCheckedContinuation { answered in
        directory.next { result in
          let entries: [DirectoryEntry] = (try? result.get()) ?? []
          print(entries.count)
          answered.resume()
        }
        directory.stop()
      }
      try await directory.close().value
      try await loop.files.unlink(root.appending("copy")).value
      try await loop.files.rmdir(root).value
    }
  }
}

// Prints:
// 8
// cont
// removed
// ENOENT
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
// true true
// write true
// 8 7.0 seconds
// sendfile 8
// files closed
// true true
// ["copy"]
// the end
// closed
// 1
