// A file is opened for reading and writing, written to, read at a place, cut short, and looked at.
import UV

enum OpenReadWriteClose: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let path = FilePath("/tmp/consumers-file-\(SystemInfo.processID)")
      let file = try await loop.files.open(
        path, .readWrite, options: [.create, .truncate], permissions: .ownerReadWriteOthersRead
      ).value
      print(file.path == path, "\(file)" == path.string)
      try await file.write("hello, world").value
      try await file.write("HELLO", at: 0).value
      print(String(decoding: try await file.read(64, at: 0).value, as: UTF8.self))
      try await file.sync().value
      try await file.dataSync().value
      try await file.truncate(to: 5).value
      try await file.chmod(.ownerReadWrite).value
      try await file.utime(accessTime: .seconds(1), modificationTime: .seconds(2)).value
      let status = try await file.stat().value
      print(
        status.size, status.modificationTime, status.permissions == .ownerReadWrite, status.type == .regular)
      try await file.chown(owner: status.owner, group: status.group).value
      try await file.close().value
      do throws(UVError) {
        _ = try await file.read(1).value
      } catch {
        print(error.code == .badDescriptor)
      }
      try await loop.files.unlink(path).value
    }
  }
}

// Prints:
// true true
// HELLO, world
// 5 2.0 seconds true true
// true
