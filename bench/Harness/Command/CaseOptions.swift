import ArgumentParser

struct CaseOptions: ParsableArguments {
  @Option(name: .shortAndLong, help: "Only workloads whose name fits; * and ? as in a shell. Repeatable.")
  var workload: [String] = []

  @Option(name: .shortAndLong, help: "Only this style. Repeatable. `run` adds c, for the ratio.")
  var style: [String] = []

  @Option(
    name: [.customShort("p"), .customLong("parameter")],
    help: "Values of a parameter, such as size=64 or size=64,4096; several make a matrix. Repeatable.")
  var parameter: [ParameterList] = []

  @Option(help: "Numbers of connections, such as 50 or 1,50,500.")
  var connections: NumberList?

  @Option(help: "Sizes in bytes, of messages, writes and files.")
  var size: NumberList?

  @Option(help: "Numbers of operations under way at a time.")
  var inFlight: NumberList?

  /// The cases that were chosen. `alsoC` adds the reference row to styles that were chosen.
  func cases(
    of workloads: [any Workload] = BenchMain.current.workloads, quick: Bool, alsoC: Bool,
    more: [(String, NumberList?)] = []
  ) throws -> [SuitePlan.Case] {
    var overrides: [String: [Int]] = [:]
    for (name, list) in named + more { overrides[name] = list?.values }
    for list in parameter { overrides[list.name] = list.values }
    var styles = style.map(Style.init(rawValue:))
    if alsoC, !styles.isEmpty, !styles.contains(.c) { styles.append(.c) }
    return try SuitePlan.cases(
      workloads, patterns: workload, styles: styles, overrides: overrides, quick: quick)
  }

  var arguments: [String] {
    func words(_ name: String, _ values: [String]) -> [String] { values.flatMap { [name, $0] } }
    return words("-w", workload) + words("-s", style)
      + words("-p", parameter.map { "\($0.name)=\(NumberList($0.values))" })
      + named.flatMap { name, list in words("--" + name, list.map { ["\($0)"] } ?? []) }
  }

  var isEverything: Bool { arguments.isEmpty }

  private var named: [(String, NumberList?)] {
    [("connections", connections), ("size", size), ("in-flight", inFlight)]
  }
}

/// `50` or `1,50,500`.
struct NumberList: ExpressibleByArgument, CustomStringConvertible {
  var values: [Int]

  init(_ values: [Int]) { self.values = values }

  var description: String { values.map(String.init).joined(separator: ",") }

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    values = parts.compactMap { Int($0) }
    guard values.count == parts.count, values.allSatisfy({ $0 >= 0 }) else { return nil }
  }
}

/// `size=64,4096`.
struct ParameterList: ExpressibleByArgument {
  var name: String
  var values: [Int]

  init?(argument: String) {
    let sides = argument.split(separator: "=", omittingEmptySubsequences: false)
    guard sides.count == 2, !sides[0].isEmpty, let list = NumberList(argument: String(sides[1])) else {
      return nil
    }
    name = String(sides[0])
    values = list.values
  }
}
