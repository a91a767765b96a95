import UV

/// Every operation on files, each going as far as it can.
struct FileWork {
  let loop: EventLoop
  let directory: String
  let ledger: Ledger

  private var files: FileSystem { loop.files }

  func start() {
    openFile()
    wholeFiles()
    names()
    directories()
    temporary()
    for turns in 0...2 { cancelledOpen(after: turns) }
  }

  private func openFile() {
    let bytes = Bytes(repeating: 9, count: 10_000)
    files.open(
      "\(directory)/open", .readWrite, options: [.create],
      ledger.once("open") { result in
        guard let file = try? result.get() else { return }
        file.write(
          bytes, at: 0,
          ledger.once("write") { written in
            file.read(
              10_000, at: 0,
              ledger.once("read") { read in
                // A part, or all; never something else.
                if case .success = written, let read = try? read.get() {
                  ledger.expect(bytes.starts(with: read), "a file's contents differ")
                }
                file.stat(ledger.once("fstat"))
                file.dataSync(ledger.once("fdatasync"))
                file.sync(
                  ledger.once("fsync") { _ in
                    file.truncate(to: 10, ledger.once("ftruncate"))
                    file.chmod([.ownerReadWrite], ledger.once("fchmod"))
                    file.utime(
                      accessTime: .seconds(1), modificationTime: .seconds(1), ledger.once("futime"))
                    file.close(ledger.once("close"))
                    file.close(ledger.once("close again"))
                  })
              })
          })
      })
  }

  private func wholeFiles() {
    let bytes = Bytes(repeating: 5, count: 30_000)
    for atomically in [false, true] {
      let path = "\(directory)/whole-\(atomically)"
      files.writeFile(
        path, bytes, atomically: atomically,
        ledger.once("writeFile") { written in
          files.readFile(
            path,
            ledger.once("readFile") { read in
              if case .success = written, let read = try? read.get() {
                ledger.expect(read == bytes, "a whole file's contents differ")
              }
              files.copyfile(path, to: path + "-copy", ledger.once("copyfile"))
              files.stat(path, ledger.once("stat"))
            })
        })
    }
    files.readFile(directory, ledger.once("readFile of a directory, meant"))
  }

  private func names() {
    let path = "\(directory)/name"
    files.writeFile(
      path, "x",
      ledger.once("writeFile") { _ in
        files.link(path, to: path + "-link", ledger.once("link"))
        files.symlink(
          to: path, at: path + "-symlink",
          ledger.once("symlink") { _ in
            files.readlink(path + "-symlink", ledger.once("readlink"))
            files.lstat(path + "-symlink", ledger.once("lstat"))
          })
        files.realpath(path, ledger.once("realpath"))
        files.access(path, .read, ledger.once("access"))
        files.chmod(path, [.ownerReadWrite], ledger.once("chmod"))
      })
    files.writeFile(
      path + "-old", "x",
      ledger.once("writeFile") { _ in
        files.rename(
          path + "-old", to: path + "-new",
          ledger.once("rename") { _ in files.unlink(path + "-new", ledger.once("unlink")) })
      })
  }

  private func directories() {
    let path = "\(directory)/directory"
    files.mkdir(
      path,
      ledger.once("mkdir") { _ in
        files.scandir(directory, ledger.once("scandir"))
        files.statfs(path, ledger.once("statfs") { _ in files.rmdir(path, ledger.once("rmdir")) })
      })
  }

  private func temporary() {
    files.mkstemp(
      "\(directory)/fileXXXXXX",
      ledger.once("mkstemp") { result in
        guard let file = try? result.get() else { return }
        // Dropped, which closes it.
        files.unlink(file.path, ledger.once("unlink"))
      })
    files.mkdtemp(
      "\(directory)/folderXXXXXX",
      ledger.once("mkdtemp") { result in
        if let path = try? result.get() { files.rmdir(path, ledger.once("rmdir")) }
      })
  }

  private func cancelledOpen(after turns: Int) {
    let pending = files.open("/etc/passwd", .readOnly, ledger.once("open, cancelled"))
    func cancel(_ turns: Int) {
      if turns == 0 { return pending.cancel() }
      loop.sleep(for: .zero, ledger.once("sleep") { _ in cancel(turns - 1) })
    }
    cancel(turns)
  }
}
