// A file from a descriptor that somebody else has opened.
import SystemPackage
import UV

enum OpenDescriptors: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let descriptor = try FileDescriptor.open("/dev/zero", .readOnly)
      let file = try loop.files.open(fileDescriptor: descriptor.rawValue)
      print(try await file.read(3).value.count)
      try await file.close().value
    }
  }
}

// Prints:
// 3
