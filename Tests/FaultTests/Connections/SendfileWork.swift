import UV

/// Bytes that go from a file to a file or a stream inside the system.
struct SendfileWork {
  let loop: EventLoop
  let directory: String
  let ledger: Ledger

  private static let bytes = Bytes((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 5 &+ $0 >> 8) })

  func start() {
    let path = "\(directory)/source"
    loop.files.writeFile(
      path, Self.bytes,
      ledger.once("writeFile") { written in
        guard case .success = written else { return }
        loop.files.open(
          path, .readOnly,
          ledger.once("open") { result in
            guard let file = try? result.get() else { return }
            copy(file)
            send(file)
            giveUp(file)
          })
      })
  }

  private func copy(_ file: File) {
    loop.files.open(
      "\(directory)/target", .readWrite, options: [.create],
      ledger.once("open") { result in
        guard let target = try? result.get() else { return }
        file.sendfile(
          to: target, count: Self.bytes.count,
          ledger.once("sendfile to a file") { copied in
            target.read(
              Self.bytes.count, at: 0,
              ledger.once("read") { read in
                if let count = try? copied.get(), let read = try? read.get() {
                  // What is read may be a part.
                  ledger.expect(count == Self.bytes.count && Self.bytes.starts(with: read), "a copy differs")
                }
                target.close(ledger.once("close"))
              })
          })
      })
  }

  private func send(_ file: File) {
    guard let (near, far) = try? loop.pipes.socketPair() else { return }
    var hasFailed = false
    var received = 0
    near.sendfile(
      file, count: Self.bytes.count,
      ledger.once("sendfile") { result in
        if case .failure = result { hasFailed = true }
        near.close(ledger.once("near end's close"))
      })
    far.start { result in
      if case .success(let part?) = result {
        ledger.expect(
          part == Bytes(Self.bytes.dropFirst(received).prefix(part.count)), "a file's bytes differ")
        return received += part.count
      }
      if case .failure = result { hasFailed = true }
      if !hasFailed {
        ledger.expect(received == Self.bytes.count, "\(received) of \(Self.bytes.count) bytes came back")
      }
      far.close(ledger.once("far end's close"))
    }
  }

  /// Nobody reads, so that it waits in the middle.
  private func giveUp(_ file: File) {
    guard let (near, far) = try? loop.pipes.socketPair() else { return }
    let pending = near.sendfile(file, count: Self.bytes.count, ledger.once("sendfile, cancelled"))
    func cancel(_ turns: Int) {
      if turns > 0 {
        loop.sleep(for: .milliseconds(1), ledger.once("sleep") { _ in cancel(turns - 1) })
        return
      }
      pending.cancel()
      near.close(ledger.once("near end's close"))
      far.close(ledger.once("far end's close"))
    }
    cancel(2)
  }
}
