import ArgumentParser
import BenchHarness
import BenchWorkloads
import CBenchSupport

/// `serve-hello`.
struct ServeHelloCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: HelloServer.command,
    abstract: "Be the server of http-client: print the port, and answer GET /hello until the input ends.",
    discussion: """
      It is the row of http-hello in C. `run -w http-client` and `peers` start it themselves.

      Exit codes: 0 its standard input has ended, 2 wrong use, 3 it failed.
      """)

  @Option(help: "Bytes of the page.")
  var size = 13

  @Option(help: "The processor to run on, or -1.")
  var cpu: Int32 = -1

  func validate() throws {
    guard (1...(1 << 20)).contains(size) else { throw ValidationError("--size is 1 to 1048576.") }
  }

  func run() throws {
    _ = BlockingThread {
      // Not by the stream, which the flush below would wait for.
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) > 0 {}
      _exit(0)
    }
    bench_raise_descriptor_limit()
    bench_pin_thread(cpu)
    try Workloads.serveHello(size: size) { port in
      print(port)
      fflush(nil)
    }
  }
}
