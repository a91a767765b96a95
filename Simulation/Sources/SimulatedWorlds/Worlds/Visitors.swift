import UV
import UVSimulation

/// What a server has too little of.
private enum Shortage: CaseIterable {
  case nothing, places, descriptors, memory
}

/// More visitors than a server lets in, or has descriptors or memory for. Each gets an answer in the end, and
/// never are more let in.
func visitors(_ world: World, _ ledger: Ledger) throws {
  let (limit, count) = (1 + Int(world.random(below: 4)), 12)
  let shortage = Shortage.allCases[Int(world.random(below: 4))]
  let isReady = Shared(false)
  let server = world.node("server") { loop in
    let listener = try loop.tcp.listen(port: 7)
    if shortage == .places { listener.connectionLimit = limit }
    isReady.value = true
    var open = 0
    var tasks: [LoopTask<Void, any Error>] = []
    for _ in 0..<count {
      guard let connection = try await listener.next().value else {
        throw Violation("the listener has ended")
      }
      open += 1
      try expect(shortage != .places || open <= limit, "\(open) connections in place of \(limit)")
      tasks.append(
        loop.spawn { () async throws in
          if let line = try await connection.readLine(limit: 100).value {
            try await loop.dawdle()
            try await connection.write([line, "\n"]).value
          }
          // Until it is closed, it counts.
          open -= 1
          if loop.isDrawn(oneIn: 2) { try await connection.close().value } else { connection.close() }
        })
      if loop.isDrawn(oneIn: 6) { try await loop.dawdle() }
    }
    for task in tasks { try await task.value }
    listener.close()
  }
  for client in 0..<4 {
    world.node("client \(client)") { loop in
      for number in 0..<(count / 4) {
        let connection = try await Transport.tcp.connect(loop)
        try await loop.dawdle()
        try await connection.write(Bytes("\(client) \(number)\n")).value
        let answer = try await connection.readLine(limit: 100).value
        try expect(answer == Bytes("\(client) \(number)"), "another answer: \(String(describing: answer))")
        connection.close()
      }
    }
  }
  while !isReady.value { try world.sleep(for: .microseconds(100)) }
  switch shortage {
  case .nothing, .places: break
  case .descriptors:
    world.limitDescriptors(server.openDescriptors + 1 + Int(world.random(below: 3)), of: server)
    // For a while, or until its end.
    if world.random(below: 2) == 0 {
      try world.sleep(for: .milliseconds(Int64(world.random(below: 20_000))))
      world.limitDescriptors(nil, of: server)
    }
  case .memory:
    let codes: [UVError.Code] = [.tooManyOpenFiles, .outOfMemory, .noBuffers, .connectionAborted]
    world.fail(
      "accept", of: server, after: Int(world.random(below: 8)), times: 1 + Int(world.random(below: 8)),
      with: codes[Int(world.random(below: 4))])
  }
}
