// Functions and classes over the kinds of streams, and sources that nobody holds.
import UV
import UVFutures
import UVPromises

private func count<Source: EventSource>(_ source: Source, upTo limit: Int) async throws -> Int {
  var count = 0
  for try await _ in source {
    count += 1
    if count == limit { break }
  }
  return count
}

private func first<Element>(of source: some EventSource<Element>) async throws -> Element? {
  try await source.next().value
}

private func greet<Connection: ByteStream>(_ listener: StreamListener<Connection>) async throws {
  let connection = try await listener.accept().value
  try await connection.write(Bytes("\(type(of: connection))")).value
  connection.close()
}

private final class Services {
  let files: FileSystem
  let tcp: TCP
  let udp: UDP
  let pipes: Pipes
  let dns: DNS
  let processes: Processes
  private var listener: TCPListener?
  private var watcher: FileWatcher?
  private var ticks: Ticks?
  private var onTick: ((Tick) -> Void)?

  init(_ loop: EventLoop) {
    (files, tcp, udp) = (loop.files, loop.tcp, loop.udp)
    (pipes, dns, processes) = (loop.pipes, loop.dns, loop.processes)
  }

  func start(_ loop: EventLoop, path: some PathConvertible, onTick: @escaping (Tick) -> Void)
    throws(UVError)
  {
    listener = try tcp.listen(host: "127.0.0.1", port: 0)
    watcher = try files.watch(path)
    self.onTick = onTick
    let ticks = loop.ticks(every: .milliseconds(1))
    ticks.start { [weak self] result in
      guard case .success(let tick?) = result else { return }
      self?.onTick?(tick)
    }
    self.ticks = ticks
  }

  func stop() {
    ticks?.stop()
    listener?.close()
    watcher?.close()
  }

  var handles: [Handle] { [listener, watcher].compactMap { $0 } }

}

private func pass(_ handle: some PassableHandle, through channel: PipeConnection) async throws {
  try await channel.write("handle", passing: handle).value
}

private func status(_ files: FileSystem, _ path: FilePath) async throws -> (
  FileType, FileStatus, FileSystemStatus
) {
  let status = try await files.stat(path).value
  return (status.type, status, try await files.statfs(path).value)
}

private struct Enough: Error {}

enum TypesOfStreams: Program {
  static func main() throws {
    try genericOverStreams()
    try servicesOfOneClass()
    try sourcesThatNobodyHolds()
  }

  /// Functions that are generic over sources, and over the kind of stream, take any of them.
  private static func genericOverStreams() throws {
    try EventLoop.run { loop in
      print(try await count(loop.ticks(every: .milliseconds(1)), upTo: 3))
      print(try await first(of: loop.ticks(every: .milliseconds(1))) != nil)
      let tcp = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let pipe = try loop.pipes.listen(path: "/tmp/consumers-generic-\(SystemInfo.processID)")
      let one = try await loop.tcp.connect(to: tcp.localAddress()).value
      let two = try await loop.pipes.connect(path: pipe.localPath()!).value
      try await greet(tcp)
      try await greet(pipe)
      let clients: [ByteStream] = [one, two]
      for client in clients {
        for try await bytes in client { print(String(decoding: bytes, as: UTF8.self)) }
        client.close()
      }
      let handles: [Handle] = [tcp, pipe]
      handles.forEach { $0.close() }
    }
  }

  /// A class that stores a loop's services and what they make, with the types written out.
  private static func servicesOfOneClass() throws {
    try EventLoop.run { loop in
      let services = Services(loop)
      try services.start(loop, path: FilePath("/tmp")) { _ in services.stop() }
      print(
        services.handles.map(\.isClosing), services.handles.allSatisfy { $0.loop === loop })
      let (near, far) = try services.pipes.socketPair(passesHandles: true)
      let socket = try services.udp.bind(host: "127.0.0.1", port: 0)
      try await pass(socket, through: near)
      print(try await far.read().value == "handle")
      near.close()
      far.close()
      socket.close()
      let (type, size, system) = try await status(services.files, "/")
      print(type == .directory, size.size >= 0, system.blocks > 0)
      print(try await services.dns.resolve("127.0.0.1").value.count > 0)
      try services.processes.kill(SystemInfo.processID, Signal(rawValue: 0))
    }
    print("ended")
  }

  /// A source that a program makes and iterates in one expression stays until the iteration ends.
  private static func sourcesThatNobodyHolds() throws {
    try EventLoop.run { loop in
      var ticks = 0
      for try await _ in loop.ticks(every: .milliseconds(1)) {
        ticks += 1
        if ticks == 3 { break }
      }
      print(ticks, "ticks")

      for _ in 0..<20 {
        for try await entries in try await loop.files.opendir("/usr", batchSize: 1).value {
          if entries.isEmpty { print("never") }
        }
      }
      print("entries")

      var values = 0
      for try await _ in loop.ticks(every: .milliseconds(1)).publisher().values {
        values += 1
        if values == 3 { break }
      }
      print(values, "values")

      for try await _ in try loop.iterations(.idle) { break }
      print("an iteration")

      print(try await loop.ticks(every: .milliseconds(1)).next().value == nil ? "the end" : "a tick")

      var elements = 0
      try? await loop.ticks(every: .milliseconds(1)).each { _ -> Promise<Void> in
        elements += 1
        return elements == 3 ? Promise(error: Enough()) : Promise.value(())
      }
      .async()
      print(elements, "elements")
    }
  }
}

// Prints:
// 3
// true
// TCPConnection
// PipeConnection
// [false, false] true
// true
// true true true
// true
// ended
// 3 ticks
// entries
// 3 values
// an iteration
// a tick
// 3 elements
