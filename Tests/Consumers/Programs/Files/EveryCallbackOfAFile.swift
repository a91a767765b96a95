// Every operation on an open file and on an open directory in its callback form.
import UV

enum EveryCallbackOfAFile: Program {
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

  static func main() throws {
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
      directory.next { result in
        let entries: [DirectoryEntry] = (try? result.get()) ?? []
        print(entries.count)
      }
      directory.stop()
      try await loop.sleep(for: .milliseconds(5)).value
      try await directory.close().value
      try await loop.files.unlink(root.appending("copy")).value
      try await loop.files.rmdir(root).value
    }
  }
}

// Prints:
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
