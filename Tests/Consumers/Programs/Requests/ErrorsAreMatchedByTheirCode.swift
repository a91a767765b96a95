// Errors are told apart by their code, in a typed `do` and in an untyped one.
import UV

enum ErrorsAreMatchedByTheirCode: Program {
  static func describe(_ loop: EventLoop, _ path: String) async -> String {
    do throws(UVError) {
      let bytes = try await loop.files.readFile(path).value
      return "\(bytes.count) bytes"
    } catch {
      switch error.code {
      case .noSuchFile: return "no such file"
      case .isDirectory: return "a directory"
      default: return error.message
      }
    }
  }

  static func main() throws {
    EventLoop.run { loop in
      print(await describe(loop, "/nowhere/at/all"))
      print(await describe(loop, "/"))
      do {
        _ = try await loop.files.stat("/nowhere").value
      } catch let error as UVError where error.code == .noSuchFile {
        print(error)
        print(error.operation, error.subject ?? "-", error.name, error.isCancelled)
      } catch {
        print("other: \(error)")
      }
    }
  }
}

// Prints:
// no such file
// a directory
// fs_stat /nowhere: no such file or directory (ENOENT)
// fs_stat /nowhere ENOENT false
