import ArgumentParser
import CBenchSupport
import CLoadGenerator
import Synchronization

/// A workload of `run --quick`, and the values of its parameters.
public struct QuickCase: Sendable {
  var workload: String
  var parameters: [String: Int]

  /// - Parameters:
  ///   - workload: The name of a workload.
  ///   - parameters: Values for those parameters that have several, by name.
  public init(_ workload: String, _ parameters: [String: Int] = [:]) {
    (self.workload, self.parameters) = (workload, parameters)
  }
}

/// A benchmark program: workloads in, and everything that `uvbench` can do comes out. `bench/Example` is one.
public struct BenchMain: Sendable {
  public var name: String
  /// What is asked, in a line of the help.
  public var abstract: String
  public var workloads: [any Workload]
  /// What `run --quick` measures: workloads that answer the program's question, each with one value for each
  /// parameter. The first is the one that people ask about first, and five stand on a front page.
  /// Empty for all workloads.
  public var quick: [QuickCase]
  /// Versions of the libraries under test, by name.
  public var libraries: [String: String]
  /// What `gate selftest` tries; empty for all workloads.
  public var selftest: [String]
  /// What programs of others may be compared in, in the order of the tables.
  public var peers: [String]
  /// How it is found out whether cost grows; nil without such a workload.
  public var scaling: Scaling?
  /// What can be asked for more than it can do; nil without such a workload.
  public var overload: (any Workload)?
  /// What `doctor` can find out besides.
  public var checks: [DoctorCheck]
  /// Commands of the program's own, beside those that every benchmark program has.
  public var commands: [any ParsableCommand.Type]

  public init(
    name: String, abstract: String = "Measure, compare, and tell when something got slower.",
    workloads: [any Workload], quick: [QuickCase] = [], libraries: [String: String] = [:],
    selftest: [String] = [], peers: [String] = [],
    scaling: Scaling? = nil, overload: (any Workload)? = nil, checks: [DoctorCheck] = [],
    commands: [any ParsableCommand.Type] = []
  ) {
    (self.name, self.abstract, self.workloads, self.quick) = (name, abstract, workloads, quick)
    (self.libraries, self.selftest, self.peers) = (libraries, selftest, peers)
    (self.scaling, self.overload) = (scaling, overload)
    (self.checks, self.commands) = (checks, commands)
  }

  /// What rows are meant to reach.
  var targets: [Target] { workloads.flatMap(\.targets) }

  /// What a worker can be asked for: `--scale` has a workload of its own.
  var allWorkloads: [any Workload] { workloads + (scaling.map { [$0.workload] } ?? []) }

  /// Does what the command line says and ends the process.
  public func run() -> Never {
    // A peer that is gone shall be an error and not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    let words = CommandLine.arguments
    if words.count > 2, words[1] == "generate", Int(words[2]) != nil {
      // The load generator is this program too, so that there is one file to copy about.
      exit(load_generator_main(CommandLine.argc - 1, CommandLine.unsafeArgv + 1))
    }
    if words.count == 6, words[1] == "tend" {
      exit(bench_tend(Int32(words[2]) ?? 0, Int32(words[3]) ?? 0, words[4], words[5]))
    }
    if words.count > 3, words[1] == "attend" {
      bench_end_with_parent(Int32(words[2]) ?? 0)
      execv(words[3], CommandLine.unsafeArgv + 3)
      exit(127)
    }
    Self.store.withLock { $0 = self }
    exit(RootCommand.start())
  }

  private static let store = Mutex<BenchMain?>(nil)

  /// The names of `quick`; none where no program has begun, as in tests.
  static var quickNames: [String] { store.withLock { $0?.quick.map(\.workload) ?? [] } }

  static var current: BenchMain {
    guard let main = store.withLock({ $0 }) else {
      preconditionFailure("no program: start it with BenchMain(…).run()")
    }
    return main
  }
}
