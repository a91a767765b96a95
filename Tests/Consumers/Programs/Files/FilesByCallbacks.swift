// A file is written, copied and read by callbacks within callbacks.
import UV

enum FilesByCallbacks: Program {
  static func main() throws {
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
}

// Prints:
// 8
// cont
// removed
// ENOENT
