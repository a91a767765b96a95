import BenchHarness
import CBaseline

/// The rows of a workload without a load generator, a style each.
protocol LoopRows {
  static var callback: LoopRow { get }
  static var promise: LoopRow { get }
  static var future: LoopRow { get }
  static var async: LoopRow { get }
}

extension LoopRows {
  static func rows(beside c: String) -> [(style: Style, run: LoopRow)] {
    [(.c, CRow.loop(c)), (.callback, callback), (.promise, promise), (.future, future), (.async, async)]
  }
}

/// The rows of a workload with a server.
protocol ServerRows {
  static var callback: ServerRow { get }
  static var promise: ServerRow { get }
  static var future: ServerRow { get }
  static var async: ServerRow { get }
}

extension ServerRows {
  static func rows(beside c: String) -> [(style: Style, serve: ServerRow)] {
    [(.c, CRow.server(c)), (.callback, callback), (.promise, promise), (.future, future), (.async, async)]
  }
}

/// The rows in C, called as the other styles are. Each is named by the last line of its file.
enum CRow {
  /// A row of a workload without a load generator.
  static func loop(_ name: String) -> LoopRow {
    { task in
      var params = cb_params()
      params.operations = UInt64(task.operations)
      params.seed = task.seed
      params.in_flight = UInt32(task.inFlight)
      params.size = UInt32(task.parameters.value("size") ?? 0)
      params.milliseconds = UInt32(
        task.parameters.value("milliseconds") ?? task.parameters.value("spread") ?? 0)
      params.standing = UInt32(task.parameters.value("standing") ?? 0)
      params.limited = UInt32(task.parameters.value("limited") ?? 0)
      params.what = UInt32(task.parameters.value("what") ?? 0)
      params.port = task.port
      params.cpu = task.otherCPU
      params.latencies = task.latencies.pointer
      params.ledger = task.ledger?.pointer
      params.context = Unmanaged.passUnretained(task.meter).toOpaque()
      params.window = { context, opens in
        let meter = Unmanaged<Meter>.fromOpaque(context!).takeUnretainedValue()
        if opens != 0 { meter.open() } else { meter.close() }
      }
      let result = try task.directory.withCString { directory in
        params.directory = directory
        return try run(name, &params)
      }
      return LoopReport(operations: Int(result.operations), checksum: result.checksum)
    }
  }

  /// A row of a workload with a server.
  static func server(_ name: String) -> ServerRow {
    { task in
      let server = Server(task)
      var params = cb_params()
      params.seed = task.seed
      params.connections = UInt32(task.connections)
      params.size = UInt32(task.size)
      params.in_flight = UInt32(task.limit)
      params.context = Unmanaged.passUnretained(server).toOpaque()
      params.listening = { context, port in
        Unmanaged<Server>.fromOpaque(context!).takeUnretainedValue().task.listening(port)
      }
      params.closed = { context in
        Unmanaged<Server>.fromOpaque(context!).takeUnretainedValue().task.closed()
      }
      let result = try withExtendedLifetime(server) {
        try withCString(task.identity) { identity in
          try withCString(task.path) { path in
            try task.host.withCString { host in
              (params.identity, params.path, params.host) = (identity, path, host)
              return try run(name, &params)
            }
          }
        }
      }
      return ServerReport(bytesRead: Int(result.bytes_read), bytesWritten: Int(result.bytes_written))
    }
  }

  private final class Server {
    let task: ServerTask
    init(_ task: ServerTask) { self.task = task }
  }

  private static func withCString<T>(
    _ text: String?, _ body: (UnsafePointer<CChar>?) throws -> T
  ) rethrows -> T {
    guard let text else { return try body(nil) }
    return try text.withCString(body)
  }

  private static func run(_ name: String, _ params: inout cb_params) throws -> cb_result {
    guard let row = cb_find(name) else { preconditionFailure("no file in C has the row \(name)") }
    var result = cb_result()
    let error = row(&params, &result)
    guard error == 0 else {
      let message = withUnsafeBytes(of: result.error) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      throw WrongWork(message.isEmpty ? "error \(error)" : message)
    }
    return result
  }
}
