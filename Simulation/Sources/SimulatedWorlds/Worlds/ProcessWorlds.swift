import UV
import UVSimulation

/// Worlds of programs that hosts start.
let processWorlds = [
  HuntedWorld("children", children), HuntedWorld("supervisor", supervisor),
  HuntedWorld("process groups", processGroups), HuntedWorld("handovers", handovers),
]

/// How a child was asked to end.
private enum Order: CaseIterable {
  case code, signal, kill, close
}

/// Many children at once, through whose pipes bytes go and come. Each end comes once and is the one that was
/// asked for, each byte that was passed on comes once and in order, and nothing is left open.
private func children(_ world: World, _ ledger: Ledger) throws {
  world.executable("filter") { loop, arguments in
    let (input, output) = (try loop.standardInput, try loop.standardOutput)
    for try await bytes in input {
      try await loop.dawdle()
      try await output.write(bytes).value
    }
    return Int(arguments[0])!
  }
  world.executable("wait") { loop, _ in
    try await loop.sleep(for: .seconds(1000)).value
    return 0
  }
  world.node("server") { loop in
    let tasks = (0..<(1 + loop.draw(6))).map { number in
      loop.spawn { () async throws in
        for round in 0..<(1 + loop.draw(4)) {
          if loop.isDrawn(oneIn: 3) {
            try await endChild(loop, ledger)
          } else {
            try await passThroughChild(loop, number, code: (number * 7 + round) % 256)
          }
        }
      }
    }
    for task in tasks { try await task.value }
  }
}

/// Sends bytes through a child, and compares what comes back.
private func passThroughChild(_ loop: EventLoop, _ number: Int, code: Int) async throws {
  let stdio: [ChildProcess.Stdio] = [.pipe, loop.isDrawn(oneIn: 2) ? .pipe : .channel]
  let child = try loop.processes.spawn("filter", ["\(code)"], stdio: stdio)
  let (input, output) = (child.standardInput!, child.standardOutput!)
  let sent = message(number, loop.draw([10, 3000, 200_000][loop.draw(3)]))
  let writing = loop.spawn { () async throws(UVError) in
    var rest = sent[...]
    while !rest.isEmpty {
      let part = rest.prefix(1 + loop.draw(40_000))
      try await input.write(Bytes(part)).value
      rest = rest.dropFirst(part.count)
    }
    if loop.isDrawn(oneIn: 2) { try await input.shutdown().value } else { try await input.close().value }
  }
  var received: [UInt8] = []
  for try await bytes in output { received += bytes }
  try expect(Bytes(received) == sent, "\(received.count) bytes of \(sent.count), or others, have come back")
  try await writing.value
  let status = try await child.exit().value
  try expect(status.code == code && status.signal == nil, "ended with \(status) in place of \(code)")
  input.close()
  output.close()
}

/// Ends a child in one of many ways. Each waiter for it is notified once.
private func endChild(_ loop: EventLoop, _ ledger: Ledger) async throws {
  let order = Order.allCases[loop.draw(4)]
  let child = try loop.processes.spawn(order == .code ? "filter" : "wait", ["3"], stdio: [.pipe])
  let (reported, number) = (Shared<ChildProcess.ExitStatus?>(nil), child.processID)
  child.exit(ledger.ask("the end of \(number)") { reported.value = try? $0.get() })
  if loop.isDrawn(oneIn: 3) { loop.cancel(child.exit(ledger.ask("a cancelled wait for \(number)"))) }
  try await loop.dawdle()
  switch order {
  case .code: child.standardInput!.close()
  case .signal: try child.kill()
  case .kill: try loop.processes.kill(number, .kill)
  case .close:
    // Nobody hears of it any more.
    try loop.processes.kill(number, .kill)
    child.close()
  }
  for pipe in child.stdio { pipe?.close() }
  if order == .close { return }
  let status = try await child.exit().value
  let right: (Int, Signal?) = order == .code ? (3, nil) : (0, order == .kill ? .kill : .terminate)
  try expect((status.code, status.signal) == right, "\(order): ended with \(status)")
  try expect(reported.value == status, "another end was reported: \(String(describing: reported.value))")
}

/// A server whose requests are answered by workers, which it starts anew when they die. Each request is
/// answered in the end, by the worker that counts it.
private func supervisor(_ world: World, _ ledger: Ledger) throws {
  let count = 6
  world.executable("worker") { loop, _ in
    let (input, output) = (try loop.standardInput, try loop.standardOutput)
    while let line = try await input.readLine(limit: 100).value {
      try await loop.dawdle()
      // Some die with a request in their hands.
      if loop.isDrawn(oneIn: 5) { try loop.processes.kill(SystemInfo.processID, .kill) }
      if loop.isDrawn(oneIn: 8) { return 1 }
      try await output.write(["did ", line, "\n"]).value
    }
    return 0
  }
  world.node("server") { loop in
    let listener = try loop.tcp.listen(port: 7)
    var tasks: [LoopTask<Void, any Error>] = []
    for _ in 0..<3 {
      let connection = try await listener.accept().value
      tasks.append(loop.spawn { () async throws in try await supervise(loop, connection) })
    }
    listener.close()
    for task in tasks { try await task.value }
  }
  for client in 0..<3 {
    world.node("client \(client)") { loop in
      let connection = try await Transport.tcp.connect(loop)
      for number in 0..<count {
        try await connection.write(Bytes("\(client) \(number)\n")).value
        let answer = try await connection.readLine(limit: 100).value
        try expect(
          answer == Bytes("did \(client) \(number)"), "another answer: \(String(describing: answer))")
      }
      connection.close()
    }
  }
}

/// Has workers answer the requests of one client.
private func supervise(_ loop: EventLoop, _ connection: ByteStream) async throws {
  var worker: ChildProcess?
  while let line = try await connection.readLine(limit: 100).value {
    while true {
      if worker == nil { worker = try loop.processes.spawn("worker", stdio: [.pipe, .pipe]) }
      if let answer = try await ask(worker!, line) {
        try await connection.write([answer, "\n"]).value
        break
      }
      let status = try await worker!.exit().value
      try expect(status.signal == .kill || status.code == 1, "a worker ended with \(status)")
      for pipe in worker!.stdio { pipe?.close() }
      worker = nil
    }
  }
  connection.close()
  guard let worker else { return }
  try await worker.standardInput!.close().value
  let status = try await worker.exit().value
  try expect(status.isSuccess, "the last worker ended with \(status)")
  worker.standardOutput!.close()
}

/// The worker's answer; nil if it has died.
private func ask(_ worker: ChildProcess, _ line: Bytes) async throws(UVError) -> Bytes? {
  do {
    try await worker.standardInput!.write([line, "\n"]).value
    return try await worker.standardOutput!.readLine(limit: 100).value
  } catch {
    if error.code == .brokenPipe || error.code == .connectionReset { return nil }
    throw error
  }
}
