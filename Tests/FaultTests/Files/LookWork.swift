import UV

/// A file whose status is looked at, and changed until that is noticed.
struct LookWork {
  let loop: EventLoop
  let directory: String
  let ledger: Ledger

  func start() {
    let path = "\(directory)/status"
    guard let watcher = try? loop.files.watchStatus(path, every: .milliseconds(1)) else { return }
    var size = 0
    func change() {
      size += 1
      loop.files.writeFile(
        path, Bytes(repeating: 0, count: size),
        ledger.once("writeFile") { _ in
          if watcher.isClosing { return }
          loop.sleep(for: .milliseconds(1), ledger.once("sleep") { _ in change() })
        })
    }
    watcher.next(ledger.once("status") { _ in watcher.close(ledger.once("watcher's close")) })
    change()
  }
}
