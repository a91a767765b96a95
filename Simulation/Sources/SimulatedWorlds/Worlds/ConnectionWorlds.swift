import UV
import UVSimulation

let connectionWorlds = [
  HuntedWorld("datagrams", datagrams), HuntedWorld("passing", passing), HuntedWorld("pairs", pairs),
  HuntedWorld("visitors", visitors), HuntedWorld("names", names), HuntedWorld("sendfile", sendfile),
  HuntedWorld("starttls", startTLS), HuntedWorld("connects", connects), HuntedWorld("farewells", farewells),
]

/// Datagrams are lost or doubled by the network alone. Each is whole, comes from where it was sent, and each
/// send is reported once.
private func datagrams(_ world: World, _ ledger: Ledger) throws {
  let mayLose = world.weather.loss > 0
  let isDoubled = world.weather.duplication > 0
  let (sent, received) = (Shared<[Int: Int]>([:]), Shared<[Int: Int]>([:]))
  let isOver = Shared(false)
  ledger.atEnd {
    for (number, count) in received.value {
      try expect(sent.value[number] != nil, "a datagram that nobody has sent")
      try expect(isDoubled || count == 1, "datagram \(number) came \(count) times")
    }
    if !mayLose { try expect(received.value.count == sent.value.count, "datagrams are lost without a loss") }
  }
  world.node("server") { loop in
    let socket = try loop.udp.bind(port: 7)
    let reading = loop.spawn { () async throws in
      for try await datagram in socket {
        let number = Int(datagram.bytes.bigEndian(UInt32.self))
        try expect(!datagram.isTruncated, "a datagram is cut short")
        try expect(
          Bytes(datagram.bytes[(datagram.bytes.startIndex + 4)...])
            == message(number, datagram.bytes.count - 4), "other bytes in datagram \(number)")
        received.value[number, default: 0] += 1
        socket.send(datagram.bytes, to: datagram.address, ledger.ask("answer"))
        if loop.isDrawn(oneIn: 5) { try await loop.dawdle() }
      }
    }
    while !isOver.value { try await loop.sleep(for: .milliseconds(100)).value }
    try await loop.sleep(for: .seconds(5)).value
    socket.close()
    try await reading.value
  }
  world.node("client") { loop in
    try await loop.sleep(for: .milliseconds(50)).value
    let address = try await loop.dns.resolve("server", port: 7).value[0]
    let isConnected = loop.isDrawn(oneIn: 2)
    let socket = isConnected ? try loop.udp.connect(to: address) : try loop.udp.bind(port: 0)
    let answers = Shared(0)
    socket.start { result in
      if case .success(let datagram?) = result {
        answers.value += 1
        let number = Int(datagram.bytes.bigEndian(UInt32.self))
        if sent.value[number] != datagram.bytes.count { ledger.complain("an answer to another question") }
      }
    }
    func datagram(_ number: Int) -> Datagram {
      var bytes = BytesBuilder()
      bytes.append(bigEndian: UInt32(number))
      bytes.append(message(number, loop.draw(1400)))
      sent.value[number] = bytes.count
      return Datagram(bytes.takeBytes(), to: isConnected ? nil : address)
    }
    for round in 0..<8 {
      switch loop.draw(3) {
      case 0:
        let one = datagram(round * 10)
        try await socket.send(one.bytes, to: one.address).value
      case 1: try await socket.send((0..<loop.draw(9)).map { datagram(round * 10 + $0) }).value
      default:
        for number in 0..<5 {
          let one = datagram(round * 10 + number)
          socket.send(one.bytes, to: one.address, ledger.ask("send"))
        }
      }
      try await loop.dawdle()
    }
    try await loop.sleep(for: .seconds(5)).value
    if !mayLose { try expect(answers.value >= sent.value.count, "answers are lost without a loss") }
    isOver.value = true
    socket.close(ledger.ask("close"))
  }
}

/// Connections and files' descriptors that are passed through a socket of the Unix domain go on where they
/// come.
private func passing(_ world: World, _ ledger: Ledger) throws {
  let count = 1 + Int(world.random(below: 4))
  world.node("server") { loop in
    let (here, there) = try loop.pipes.socketPair(passesHandles: true)
    let worker = loop.spawn { () async throws in
      var tasks: [LoopTask<Void, any Error>] = []
      var left = count
      while left > 0 {
        guard let bytes = try await there.next().value else { throw Violation("the channel has ended") }
        _ = bytes
        while there.pendingHandleCount > 0 {
          let connection = try there.acceptTCPConnection()
          left -= 1
          tasks.append(
            loop.spawn { () async throws in
              for try await bytes in connection { try await connection.write(bytes).value }
              connection.close()
            })
        }
      }
      for task in tasks { try await task.value }
      there.close()
    }
    let listener = try loop.tcp.listen(port: 7)
    for number in 0..<count {
      let connection = try await listener.accept().value
      if loop.isDrawn(oneIn: 2) { here.write(message(number, loop.draw(5000)), ledger.ask("bytes before")) }
      let done: Completion<Void> = ledger.ask("passing \(number)") { result in
        if case .failure(let error) = result { ledger.complain("passing: \(error)") }
      }
      here.write(Bytes("x"), passing: connection) { result in
        connection.close()
        done(result)
      }
      if loop.isDrawn(oneIn: 2) { here.write(message(number, loop.draw(5000)), ledger.ask("bytes after")) }
      if loop.isDrawn(oneIn: 3) { try await here.drain().value }
    }
    listener.close()
    try await worker.value
    here.close()
  }
  for number in 0..<count {
    world.node("client \(number)") { loop in
      let connection = try await Transport.tcp.connect(loop)
      for round in 1...3 {
        let bytes = message(round, loop.draw(20_000))
        let writing = loop.spawn { () async throws(UVError) in try await connection.write(bytes).value }
        try expect(try await connection.read(exactly: bytes.count).value == bytes, "other bytes")
        try await writing.value
      }
      try await connection.shutdown().value
      try expect(try await connection.next().value == nil, "no end")
      connection.close()
    }
  }
}

/// Pipes and pairs of sockets on one loop.
private func pairs(_ world: World, _ ledger: Ledger) throws {
  world.node("a") { loop in
    for _ in 0..<3 {
      let sender = RecordSender(ledger, "pipe")
      let isPipe = loop.isDrawn(oneIn: 2)
      let (reading, writing) = isPipe ? try loop.pipes.pair() : try loop.pipes.socketPair()
      let reader = RecordReader()
      let readingTask = loop.spawn { () async throws in
        _ = reader.chooseStyle(loop)
        try await reader.readAll(reading)
        reading.close()
      }
      try await sender.send(6, to: writing)
      if isPipe || loop.isDrawn(oneIn: 2) {
        try await writing.drain().value
        writing.close(ledger.ask("close"))
      } else {
        try await writing.shutdown().value
        writing.close()
      }
      try await readingTask.value
      try expect(
        reader.isBetweenRecords, "the pipe ends within a record, in style \(reader.style), isPipe \(isPipe)")
      try sender.check(reader.received, all: true)
    }
  }
}

/// Questions for names, many at a time, some of which are given up. Each has the right answer, once.
private func names(_ world: World, _ ledger: Ledger) throws {
  world.setNames(latency: .milliseconds(3), jitter: .milliseconds(Int64(world.random(below: 300))))
  let others = (0..<5).map { number in
    world.node("host \(number)") { loop in try await loop.sleep(for: .milliseconds(1)).value }
  }
  let addresses = others.map(\.address)
  world.node("asker") { loop in
    for round in 0..<4 {
      for number in 0..<6 {
        let isKnown = number < 5
        let done: Completion<[SocketAddress]> = ledger.ask("name \(number)") { result in
          switch result {
          case .success(let found):
            if !isKnown || !found.contains(where: { $0.host == addresses[number] && $0.port == 80 }) {
              ledger.complain("host \(number) is at \(found)")
            }
          case .failure(let error):
            if isKnown, !error.isCancelled, error.code != .timedOut {
              ledger.complain("host \(number): \(error)")
            }
          }
        }
        let request = loop.dns.resolve("host \(number)", port: 80)
        switch loop.draw(4) {
        case 0: request.timeout(after: .microseconds(Int64(loop.draw(5000)))).start(done)
        case 1:
          loop.cancel(request.start(done))
        default: request.start(done)
        }
      }
      if round % 2 == 0 { try await loop.dawdle() }
      let found = try await loop.dns.resolve("host 0", port: round).value
      try expect(found.contains { $0.host == addresses[0] && $0.port == round }, "host 0 is at \(found)")
    }
  }
}

/// Parts of files between other writes of a stream.
private func sendfile(_ world: World, _ ledger: Ledger) throws {
  let transport: Transport = world.random(below: 3) == 0 ? .tls : .tcp
  let goal = Shared(Bytes())
  let content = message(9, 150_000)
  transport.build(world, clients: 1) { loop, stream, _ in
    try await stream.write(Bytes("!")).value
    let bytes = try await stream.readToEnd(limit: 1 << 24).value
    try expect(bytes == goal.value, "\(bytes.count) other bytes in place of \(goal.value.count)")
    try await stream.shutdown().value
    stream.close()
  } client: { loop, _ in
    try await loop.files.writeFile("/tmp/content", content).value
    let file = try await loop.files.open("/tmp/content").value
    let stream = try await transport.connect(loop)
    _ = try await stream.read(exactly: 1).value
    var all = BytesBuilder()
    for round in 0..<5 {
      let bytes = message(round, loop.draw(30_000))
      let (from, count) = (loop.draw(content.count), 1 + loop.draw(100_000))
      let part = content[(content.startIndex + from)...].prefix(count)
      all.append(bytes)
      all.append(Bytes(part))
      if loop.isDrawn(oneIn: 2) {
        stream.write(bytes, ledger.ask("write"))
        try await stream.drain().value
      } else {
        try await stream.write(bytes).value
      }
      let sending = loop.spawn { () async throws(UVError) in
        try await stream.sendfile(file, from: Int64(from), count: count).value
      }
      if loop.isDrawn(oneIn: 2) {
        // It waits for the file.
        try await loop.sleep(for: .zero).value
        let late = message(round + 100, 100)
        all.append(late)
        stream.write(late, ledger.ask("write behind a file"))
      }
      let sent = try await sending.value
      try expect(sent == part.count, "\(sent) bytes in place of \(part.count)")
    }
    goal.value = all.takeBytes()
    try await stream.shutdown().value
    try expect(try await stream.next().value == nil, "no end")
    stream.close()
    try await file.close().value
  }
}
