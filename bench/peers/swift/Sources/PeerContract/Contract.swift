#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a peer was asked for on its command line: a workload, and `key=value` pairs.
public struct Contract: Sendable {
  /// The words before the workload.
  public var words: [String] = []
  /// What is to be done.
  public var workload = ""
  private var options: [String: String] = [:]

  /// Reads the command line, in which `count` words stand before the workload.
  public init(wordsBefore count: Int) {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count > count else { return }
    words = Array(arguments[..<count])
    workload = arguments[count]
    for pair in arguments[(count + 1)...] {
      let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
      if sides.count == 2 { options[sides[0]] = sides[1] }
    }
  }

  /// How many operations are under way at a time.
  public var inFlight: Int { options["in-flight"].flatMap { Int($0) } ?? 1 }

  /// Bytes of a message.
  public var size: Int { options["size"].flatMap { Int($0) } ?? 64 }

  /// Where a client finds its server.
  public var port: Int { options["port"].flatMap { Int($0) } ?? 0 }

  /// The file with a server's certificate and key; nil for a server without TLS.
  public var identity: String? { options["identity"] }

  /// The path of the file of operation `index`.
  public func path(_ index: Int) -> String {
    let number = index % 64
    return (options["directory"] ?? ".") + "/file-" + (number < 10 ? "0" : "") + "\(number)"
  }

  /// Does what each line of standard input asks for, and answers.
  public static func answerLines(_ work: (Int) -> Int) {
    while let line = readLine() {
      guard let count = Int(line) else { continue }
      say("\(count) \(work(count))")
    }
  }

  /// Says a line.
  public static func say(_ line: String) {
    print(line)
    // Of this stream only: another thread may hold that of the input while it waits for a line.
    fflush(stdout)
  }
}

/// When timer `index` of `million-timers` is due, in milliseconds.
public func timerDelay(_ index: Int) -> Int64 { Int64(1 + index / 1000) }
