enum Listing {
  static func show(_ workloads: [any Workload]) {
    let rows = workloads.flatMap { workload in
      [[workload.name, workload.summary, workload.styles.map(\.rawValue).joined(separator: ", ")]]
        + workload.parameters.map { parameter in
          let values = parameter.values.map(String.init).joined(separator: ",")
          let help = ([parameter.help] + parameter.gaps).joined(separator: "; ")
          return ["  --\(parameter.name) \(values)", "  " + help, ""]
        }
    }
    let table = TextTable([["workload", "one operation", "styles"]] + rows, words: [0, 1, 2])
    for line in table.text { print(line) }
  }

  static func note(_ rows: [RowResult]) -> [String] {
    let workload = BenchMain.current.allWorkloads.first { $0.name == rows.first?.workload }
    let gaps = workload?.parameters.flatMap(\.gaps) ?? []
    return ([workload?.note].compactMap(\.self) + gaps).map { "  note: " + $0 }
  }

  static func environment(_ results: Results) -> [String] {
    let machine = results.machine
    let method = results.method
    let virtual = machine.virtual == true ? ", virtual" : ""
    let load = Figure.fixed(machine.loadAverage, digits: 2)
    let commit = method.commit.isEmpty ? "unknown" : method.commit
    let fingerprint = machine.fingerprint(swift: results.swift, libuv: results.libuv)
    let place =
      "\(machine.cpu), \(machine.cores) processors\(virtual), load \(load); \(machine.kernel), clock \(machine.clockSource)"
    guard results.gate == nil else { return ["\(place); commit \(commit); fingerprint \(fingerprint)."] }
    return [
      "\(place); server and load generator: \(method.placement).",
      "libuv \(results.libuv), \(method.threadPool) pool threads; Swift \(results.swift), \(method.build);"
        + " commit \(commit); fingerprint \(fingerprint).",
    ] + (results.busy.map { [$0] } ?? [])
  }
}
