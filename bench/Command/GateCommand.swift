import ArgumentParser
import BenchKit

/// `gate`: did a change make anything slower or costlier?
struct GateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gate",
    abstract: "Fail when a change made something slower or costlier; say so when it cannot be told.",
    discussion: """
      Two layers. Counts (allocations, system calls, jobs) are compared with a committed file.
      Times are compared with another build of the program, side by side: a stored time is
      never a gate.

      Examples:
        gate --counts                          the counts against bench/baselines
        gate --counts --update                 write them there, to be committed
        gate --against origin/main             build the merge base beside this and compare times
        gate --base-bin old/uvbench -w 'tcp-*' compare with a program that was built before
        gate selftest --quick                  does the gate cry wolf, and does it find the wolf?

      Exit codes: 0 no regression, or none that can be told; 1 regression; 2 wrong use or a file
      that cannot be used; 3 the work was wrong or a worker died; 4 not comparable; 5 it cannot
      be told, with --strict.
      """,
    subcommands: [GateCheckCommand.self, SelftestCommand.self],
    defaultSubcommand: GateCheckCommand.self)
}
