import CBenchSupport

protocol LineChannel: AnyObject {
  func write(_ line: String) throws
  /// The next line. It is an error when none comes within `seconds`, or none at all.
  func readLine(within seconds: Double) throws -> String
}

/// Lines over two descriptors, which may be the same.
final class LineStream {
  /// The other side has closed its end.
  struct Ended: Error {}

  private let input: Int32
  private let output: Int32
  private var buffer: [UInt8] = []
  private var inputIsOpen = true

  /// Reads from `output` and writes to `input`, and closes both in the end.
  init(input: Int32, output: Int32) { (self.input, self.output) = (input, output) }

  /// Connects to an address in ten seconds at most, and returns the address of this side besides. It is an
  /// error with a few words when nobody is there.
  static func connect(to address: NetworkAddress) throws(WorkerFailure) -> (lines: LineStream, local: String)
  {
    var local = [CChar](repeating: 0, count: Int(BENCH_HOST))
    var failure = [CChar](repeating: 0, count: 200)
    let socket = bench_connect(address.host, address.port, 10_000, &local, &failure, failure.count)
    guard socket >= 0 else { throw WorkerFailure(text(failure)) }
    return (LineStream(input: socket, output: socket), text(local))
  }

  private static func text(_ bytes: [CChar]) -> String {
    String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    closeInput()
    if output != input { systemClose(output) }
  }

  func write(_ line: String) throws {
    guard try writeAll(line + "\n", to: input, interrupted: Interruption.check) else { throw Ended() }
  }

  func readLine(within seconds: Double) throws -> String {
    guard let line = try nextLine(within: seconds) else {
      throw WorkerFailure("no answer within \(Int(seconds)) s")
    }
    return line
  }

  /// The next line; nil when none comes within `seconds`.
  func nextLine(within seconds: Double) throws -> String? {
    let deadline = ProcessUsage.now().wall + UInt64(seconds * 1e9)
    while true {
      if let newline = buffer.firstIndex(of: 0x0A) {
        let line = String(decoding: buffer[..<newline], as: UTF8.self)
        buffer.removeSubrange(...newline)
        return line
      }
      let now = ProcessUsage.now().wall
      guard now < deadline else { return nil }
      var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      let ready = poll(&descriptor, 1, Int32(min((deadline - now) / 1_000_000 + 1, 1_000_000)))
      try Interruption.check()
      guard ready > 0 else { continue }
      try fill()
    }
  }

  /// What has come after the last line; nil where that is nothing.
  func takeRest() -> String? {
    defer { buffer = [] }
    return buffer.isEmpty ? nil : String(decoding: buffer, as: UTF8.self)
  }

  func closeInput() {
    guard inputIsOpen else { return }
    inputIsOpen = false
    systemClose(input)
  }

  private func fill() throws {
    var chunk = [UInt8](repeating: 0, count: 65536)
    let count = read(output, &chunk, chunk.count)
    if count > 0 {
      buffer += chunk[..<count]
    } else if count == 0 || errno != EINTR {
      throw Ended()
    }
  }
}
