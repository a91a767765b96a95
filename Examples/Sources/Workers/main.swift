// A server whose connections are served by other processes: `Workers [COUNT]`.
//
// It listens, starts so many workers (2), and passes each connection to the next of them; four clients
// connect here and print what they were answered. A worker is this program again, with a channel as its
// descriptor 3.
import UV

if CommandLine.arguments.contains("--worker") {
  try EventLoop.run { loop in try await work(loop) }
} else {
  let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 2
  try EventLoop.run { loop in try await serve(loop, workers: count) }
}

/// Serves what comes through the channel, until that ends.
nonisolated func work(_ loop: EventLoop) async throws {
  let channel = try loop.pipes.open(fileDescriptor: 3, passesHandles: true)
  for try await name in channel {
    while channel.pendingHandleCount > 0 {
      let connection = try channel.acceptTCPConnection()
      try await connection.write([Bytes("served by "), name]).value
      connection.close()
    }
  }
}

nonisolated func serve(_ loop: EventLoop, workers count: Int) async throws {
  let workers = try (0..<count).map { _ in
    try loop.processes.spawn(
      CommandLine.arguments[0], ["--worker"], stdio: [.ignore, .inherit, .inherit, .channel])
  }
  let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
  for index in 0..<4 {
    let client = try await loop.tcp.connect(to: listener.localAddress()).value
    let connection = try await listener.accept().value
    let number = index % count
    try await workers[number].stdio[3]!.write(Bytes("worker \(number)"), passing: connection).value
    connection.close()
    var answer: [UInt8] = []
    for try await chunk in client { answer += chunk }
    print(String(decoding: answer, as: UTF8.self))
    client.close()
  }
  for worker in workers {
    worker.stdio[3]!.close()
    let status = try await worker.exit().value
    print(status.isSuccess ? "a worker has ended" : "a worker has failed: \(status)")
  }
  listener.close()
}
