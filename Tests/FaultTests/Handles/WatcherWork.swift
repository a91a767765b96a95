import UV

/// What watches descriptors, files and the loop itself.
struct WatcherWork {
  let loop: EventLoop
  let directory: String
  let ledger: Ledger

  func start() {
    descriptor()
    changes()
    changesBelow()
    for phase in IterationPhase.allCases {
      guard let watcher = try? loop.iterations(phase) else { continue }
      watcher.next(ledger.once("iteration") { _ in watcher.close(ledger.once("watcher's close")) })
    }
  }

  private func descriptor() {
    guard let pair = try? DescriptorPair.streams() else { return }
    guard let watcher = try? loop.poll(pair.first, for: [.readable, .writable]) else { return pair.close() }
    watcher.next(
      ledger.once("poll") { result in
        if case .success(let events) = result {
          ledger.expect(events == .writable, "a socket is \(String(describing: events))")
        }
        watcher.close(ledger.once("watcher's close"))
        // The watcher has a descriptor of its own.
        pair.close()
      })
  }

  /// The change is there by the time that its maker is notified.
  private func changes() {
    guard let watcher = try? loop.files.watch(directory) else { return }
    _ = try? watcher.path()
    watcher.next(
      ledger.once("change, perhaps cancelled") { _ in watcher.close(ledger.once("watcher's close")) })
    loop.files.writeFile(
      "\(directory)/changed", "x",
      ledger.once("writeFile") { if case .failure = $0 { watcher.close(ledger.once("watcher's close")) } })
  }

  /// A tree is complete at last, or the watcher ends with an error.
  private func changesBelow() {
    guard let watcher = try? loop.files.watch(directory, recursive: true) else { return }
    watcher.next(
      ledger.once("change below, perhaps cancelled") { _ in watcher.close(ledger.once("watcher's close")) })
  }
}
