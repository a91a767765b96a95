// Functions whose parameters have the library's types written out, as a program of several files has them.
import UV
import UVFutures
import UVPromises

private func describe(_ processor: Processor, _ user: User, _ system: OperatingSystem) -> Bool {
  !processor.model.isEmpty && !user.name.isEmpty && !system.name.isEmpty
}

private func isLocal(_ address: InterfaceAddress) -> Bool { address.isInternal }

private func isBusy(_ activity: LoopActivity, _ usage: ResourceUsage) -> Bool {
  !activity.isIdle || usage.userTime < .zero
}

private func kind(_ type: HandleType) -> String {
  switch type {
  case .tcp, .udp, .pipe: "network"
  case .tty: "terminal"
  case .file, .fileEvent, .fileStatus: "file"
  case .timer, .idle, .prepare, .check, .async: "loop"
  case .poll, .signal, .process: "system"
  case .unknown: "unknown"
  @unknown default: "new"
  }
}

private func configure(_ loop: EventLoop, _ options: [LoopOption]) throws(UVError) {
  for option in options { try loop.configure(option) }
}

private func isQuiet(_ handle: LoopHandle) -> Bool { !handle.isActive || handle.isClosing }

private func log(_ event: LogEvent, at site: CreationSite?) -> String {
  "\(event)" + (site?.description ?? "")
}

private func setUp(_ configuration: Configuration, _ policy: CatchPolicy) {
  configuration.catchPolicy = policy
  configuration.unhandledRejectionHandler = { (rejection: UnhandledRejection) in print(rejection.error) }
}

private func changed(_ change: FileStatusChange) -> Bool { (try? change.current.get()) != change.previous }

private func finish(
  _ resolver: Resolver<Int>, _ remote: Resolver<Int>, _ other: FutureResolver<Int, Never>
) {
  resolver.fulfill(1)
  remote.fulfill(2)
  other(.success(3))
}

private func balance(_ isEven: Bool) -> EventLoopGroup.Balance { isEven ? .system : .roundRobin }

private func where_(_ dispatcher: LoopDispatcher, _ promise: Promise<Int>) -> Promise<Int> {
  promise.map(on: dispatcher) { $0 + 1 }
}

enum TypesWrittenOut: Program {
  static func main() throws {
    print(
      try describe(
        SystemInfo.processors()[0], SystemInfo.user(), SystemInfo.operatingSystem()))
    print(try SystemInfo.interfaceAddresses().contains(where: isLocal))
    setUp(conf, .allErrors)
    print(log(.cauterized(PMKError.badInput), at: CreationSite(file: "file", line: 7)))
    try EventLoop.run { loop in
      try configure(loop, [.idleTime])
      print(isBusy(loop.activity, try SystemInfo.resourceUsage()))
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      print(
        loop.handles.filter { $0.type == .tcp }.map { kind($0.type) }, loop.handles.contains(where: isQuiet))
      listener.close()
      let (first, resolver) = Promise<Int>.pending()
      let (second, other) = Promise<Int>.pending()
      let (third, last) = Future<Int, Never>.pending(on: loop)
      finish(resolver, other, last)
      print(try await where_(.inline, first).async(), try await where_(.microtask, second).async())
      print(await third.value * 10)
      let watcher = try loop.files.watchStatus("/nowhere", every: .milliseconds(1))
      if let change = try await watcher.next().value { print(changed(change)) }
      watcher.close()
    }
    print(balance(true) == .system, balance(false) == .roundRobin)
  }
}

// Prints:
// true
// true
// cauterized(bad input to a promise function)file:7
// true
// ["network"] true
// 2 3
// 30
// false
// true true
