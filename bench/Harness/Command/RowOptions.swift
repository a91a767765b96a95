import ArgumentParser

struct RowOptions: ParsableArguments {
  @Option(name: .shortAndLong, help: "Only workloads whose name fits. Repeatable.")
  var workload: [String] = []

  @Option(name: .shortAndLong, help: "Only this style. Repeatable.")
  var style: [String] = []

  /// The results without the other rows; nil if none is left.
  func chosen(_ results: Results) -> Results? {
    var results = results
    results.results.removeAll { row in
      !Glob.isChosen(row.workload, by: workload) || !(style.isEmpty || style.contains(row.style.rawValue))
    }
    results.gate = results.gate.flatMap { gate in
      Glob.isChosen(gate.name, by: workload) && (style.isEmpty || style.contains(Style.new.rawValue))
        ? gate : nil
    }
    return results.followed.isEmpty ? nil : results
  }
}
