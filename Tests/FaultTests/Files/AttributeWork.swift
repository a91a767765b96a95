import Foundation
import UV

/// What there is to change about a file beside its contents, and reading a directory in parts.
struct AttributeWork {
  let loop: EventLoop
  let directory: String
  let ledger: Ledger

  private var files: FileSystem { loop.files }
  private var owner: UInt32 { getuid() }
  private var group: UInt32 { getgid() }

  func start() {
    let path = "\(directory)/name"
    files.writeFile(
      path, "x",
      ledger.once("writeFile") { written in
        guard case .success = written else { return }
        files.chown(path, owner: owner, group: group, ledger.once("chown"))
        files.lchown(path, owner: owner, group: group, ledger.once("lchown"))
        files.utime(path, accessTime: .seconds(1), modificationTime: .seconds(1), ledger.once("utime"))
        files.lutime(path, accessTime: .seconds(1), modificationTime: .seconds(1), ledger.once("lutime"))
        openFile(path)
        readDirectory()
      })
  }

  private func openFile(_ path: String) {
    files.open(
      path, .readOnly,
      ledger.once("open") { result in
        guard let file = try? result.get() else { return }
        file.chown(
          owner: owner, group: group, ledger.once("fchown") { _ in file.close(ledger.once("close")) })
      })
  }

  private func readDirectory() {
    files.opendir(
      directory, batchSize: 2,
      ledger.once("opendir") { result in
        guard let directory = try? result.get() else { return }
        var isFound = false
        directory.start { result in
          if case .success(let entries?) = result {
            return isFound = isFound || entries.contains { $0.name.string == "name" }
          }
          if case .success = result { ledger.expect(isFound, "a directory's entry came back") }
          directory.close(ledger.once("closedir"))
        }
      })
    // Dropped, which closes it.
    files.opendir(directory, ledger.once("opendir") { _ in })
    files.opendir(directory, ledger.once("opendir, cancelled")).cancel()
    files.opendir(
      directory,
      ledger.once("opendir") { result in
        guard let directory = try? result.get() else { return }
        directory.next(ledger.once("readdir, cancelled")).cancel()
        directory.close(ledger.once("closedir"))
      })
  }
}
