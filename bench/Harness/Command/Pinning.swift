import ArgumentParser
import CBenchSupport

/// The processors that a run may use: `auto`, `off`, or a list such as `2,3`.
struct Pinning: ExpressibleByArgument {
  private let list: String

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    guard argument == "auto" || argument == "off" || parts.allSatisfy({ Int($0).map { $0 >= 0 } ?? false })
    else { return nil }
    list = argument
  }

  /// Makes it so for this process, which says what it was, and for the workers that it starts.
  func apply() throws {
    let missing = bench_choose_cpus(list == "auto" ? "" : list)
    guard missing >= 0 else { return }
    // Those that there are without a list.
    _ = bench_choose_cpus("")
    let there = (0..<bench_usable_cpus()).map { "\(bench_usable_cpu($0))" }.joined(separator: ", ")
    throw UsageError("--pin: there is no processor \(missing) here (\(there))")
  }
}
