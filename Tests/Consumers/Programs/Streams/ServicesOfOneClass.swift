// A class that stores a loop's services and what they make, with the types written out.
import UV

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

enum ServicesOfOneClass: Program {
  static func main() throws {
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
}

// Prints:
// [false, false] true
// true
// true true true
// true
// ended
