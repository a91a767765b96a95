import BenchKit

/// What is printed beside the tables.
enum Listing {
  /// The workloads, with their parameters and styles.
  static func show(_ workloads: [any Workload]) {
    var table = TextTable([("workload", .left), ("one operation", .left), ("styles", .left)])
    for workload in workloads {
      table.add([
        workload.name, workload.summary, workload.styles.map(\.rawValue).joined(separator: ", "),
      ])
      for parameter in workload.parameters {
        let values = parameter.values.map(String.init).joined(separator: ",")
        table.add(["  --\(parameter.name) \(values)", "  " + parameter.help, ""])
      }
    }
    for line in table.render() { print(line) }
  }

  /// Where and how the figures came about.
  static func environment(_ results: Results) -> [String] {
    let machine = results.machine
    let method = results.method
    let virtual = machine.virtual == true ? ", virtual" : ""
    return [
      "\(machine.cpu), \(machine.cores) processors\(virtual), load \(Figure.fixed(machine.loadAverage, digits: 2));"
        + " \(machine.kernel), clock \(machine.clockSource)",
      "libuv \(results.libuv), \(method.threadPool) pool threads; Swift \(results.swift), \(method.build);"
        + " commit \(method.commit.isEmpty ? "unknown" : method.commit);"
        + " fingerprint \(machine.fingerprint(swift: results.swift, libuv: results.libuv))",
    ]
  }
}
