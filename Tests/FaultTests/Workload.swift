import UV

/// The operations that are made to fail, in groups: each group is run again for each call that it makes.
enum Workload: String, CaseIterable {
  case files, attributes, sendfile, connections, datagrams, pipes, time, names, processes, watchers, looks,
    terminals, tls
  case system, interfaces

  /// Whether libuv itself ends the process where a call of these fails: it has no way to report a look at a
  /// file for which it has no memory, and doesn't ask whether it has some for an interface's name.
  func isFatal(_ fault: FaultTests.Fault) -> Bool {
    (self == .looks || self == .interfaces) && fault == .noMemoryForLibuv
  }

  func start(_ loop: EventLoop, _ directory: String, _ ledger: Ledger) {
    switch self {
    case .files: FileWork(loop: loop, directory: directory, ledger: ledger).start()
    case .attributes: AttributeWork(loop: loop, directory: directory, ledger: ledger).start()
    case .sendfile: SendfileWork(loop: loop, directory: directory, ledger: ledger).start()
    case .connections: SocketWork(loop, ledger).start()
    case .time: TimeWork(loop: loop, ledger: ledger).start()
    case .names: NameWork(loop: loop, ledger: ledger).start()
    case .datagrams: DatagramWork(loop: loop, ledger: ledger).start()
    case .pipes: PipeWork(loop, directory, ledger).start()
    case .processes: ProcessWork(loop: loop, ledger: ledger).start()
    case .watchers: WatcherWork(loop: loop, directory: directory, ledger: ledger).start()
    case .looks: LookWork(loop: loop, directory: directory, ledger: ledger).start()
    case .terminals: TerminalWork(loop, ledger).start()
    case .tls: TLSWork(loop, ledger).start()
    case .system: SystemWork.run()
    case .interfaces: _ = try? SystemInfo.interfaceAddresses()
    }
  }
}
