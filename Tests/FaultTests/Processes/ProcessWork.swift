import UV

/// Children: one that gives back what it is given, one that is killed, one at a terminal, one that cannot be started.
struct ProcessWork {
  let loop: EventLoop
  let ledger: Ledger

  func start() {
    giveBack()
    kill()
    type()
    if (try? loop.processes.spawn("/no/such/program")) != nil {
      ledger.expect(false, "no program was started")
    }
  }

  private func giveBack() {
    guard let child = try? loop.processes.spawn("/bin/cat", stdio: [.pipe, .pipe, .ignore]),
      let input = child.standardInput, let output = child.standardOutput
    else { return }
    ledger.started(child)
    let bytes = Bytes((0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 11 &+ $0 >> 8) })
    var received: [UInt8] = []
    var hasFailed = false
    input.write(
      bytes,
      ledger.once("write to a child") { result in
        if case .failure = result { hasFailed = true }
        // The end of its input is the child's end.
        input.close(ledger.once("input's close"))
      })
    output.start { result in
      if case .success(let part?) = result { return received += part }
      if case .failure = result { hasFailed = true }
      if !hasFailed {
        ledger.expect(Bytes(received) == bytes, "\(received.count) of \(bytes.count) bytes came back")
      }
      output.close(ledger.once("output's close"))
    }
    child.exit(ledger.once("exit"))
    child.exit(ledger.once("exit, cancelled")).cancel()
  }

  private func kill() {
    guard let child = try? loop.processes.spawn("/bin/cat", stdio: [.pipe, .ignore, .ignore]),
      let input = child.standardInput
    else { return }
    ledger.started(child)
    child.exit(
      ledger.once("exit of one that is killed") { _ in input.close(ledger.once("input's close")) })
    // One that cannot be killed ends with its input.
    do throws(UVError) { try child.kill() } catch { input.close() }
  }

  /// Closing the terminal ends a child that has one.
  private func type() {
    let size = TerminalSize(columns: 80, rows: 24)
    guard let child = try? loop.processes.spawn("/bin/cat", terminal: size), let terminal = child.terminal
    else {
      return
    }
    ledger.started(child)
    try? terminal.resize(to: TerminalSize(columns: 81, rows: 24))
    var shown: [UInt8] = []
    func end() { if !terminal.isClosing { terminal.close(ledger.once("terminal's close")) } }
    terminal.write(
      "typed\n", ledger.once("write to a terminal") { result in if case .failure = result { end() } })
    terminal.start { result in
      guard case .success(let part?) = result else { return end() }
      shown += part
      if shown.count < 14 { return }
      ledger.expect(Bytes(shown) == "typed\r\ntyped\r\n", "\(Bytes(shown)) was shown")
      end()
    }
    child.exit(ledger.once("exit of one at a terminal"))
  }
}
