import ArgumentParser
import CBenchHooks
import CBenchSupport

struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker", abstract: "Measure what standard input asks for, a line at a time.",
    discussion: """
      Lines are `run <workload-id> <operations> <seed>`, `time …`, `duel …` or
      `count …`, where an id is such as tcp-echo@1/c?connections=50&size=64. Each
      is answered with one line of JSON.
      """)

  @Option(help: "End when this process ends.")
  var parent: Int32?

  @Option(help: "Where to put files.")
  var directory: String?

  @OptionGroup var generator: GeneratorOptions

  @OptionGroup(title: "To test the harness")
  var injections: InjectionOptions

  func run() throws {
    if let parent { bench_die_with_parent(parent) }
    bench_raise_descriptor_limit()
    let scratch = try ScratchDirectory(below: directory)
    defer { scratch.remove() }
    // Where it is called the same in every process: a name's length is counted, too, where it is copied.
    guard chdir(scratch.path) == 0 else { throw UsageError("cannot change to \(scratch.path)") }
    let context = WorkloadContext(
      directory: ".", loadGenerator: try generator.place,
      abort: { error in
        let answer = WorkerAnswer(failure: .wrongWork, message: "\(error)")
        WorkerCommand.send((try? LineJSON.string(answer)) ?? "")
        _exit(BenchExit.wrongWork.rawValue)
      })
    let server = WorkerServer(
      workloads: BenchMain.current.allWorkloads, context: context, counters: Counters.all,
      setCounting: { bench_hooks_count($0 ? 1 : 0) },
      setConfined: { _ = bench_confine_process($0 ? 1 : 0) }, injection: try injections.start())
    try server.serve(
      hello: WorkerHello(libraries: BenchMain.current.libraries),
      read: { readLine() }, write: { WorkerCommand.send($0) })
  }

  private static func send(_ line: String) {
    print(line)
    fflush(nil)
  }
}
