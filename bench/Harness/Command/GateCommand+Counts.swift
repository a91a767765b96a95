extension GateCommand {
  private var path: String { baselines + "/" + Self.empty.fileName }

  /// A baseline for these versions without rows.
  private static var empty: CountsBaseline {
    CountsBaseline(
      swift: Machine.swiftVersion, libraries: BenchMain.current.libraries,
      architecture: Machine.current().architecture, rows: [:])
  }

  /// Counts, and compares with the file.
  func checkCounts(_ workers: Workers) throws -> (path: String, rows: [CountsRow]) {
    let start = ProcessUsage.now().wall
    let baseline = try read()
    let cases = try chosen(baseline.rows)
    var head = try count(cases, workers)
    let suspects = CountsRule.judge(base: baseline.rows, head: head) { _ in false }
      .filter(\.isWorthAWord).map(\.id)
    if !suspects.isEmpty {
      for (id, counts) in try count(Self.only(cases, suspects), workers) {
        head[id] = CountsRule.nearer(head[id] ?? counts, counts, to: baseline.rows[id] ?? [:])
      }
    }
    var judged = CountsRule.judge(base: baseline.rows, head: head) { _ in rows.isEverything }
    let seconds = Double(ProcessUsage.now().wall - start) / 1e9
    for index in judged.indices { judged[index].seconds = seconds / Double(judged.count) }
    return (path, judged)
  }

  /// Counts, and writes the file; rows that were not chosen stay as they are in it.
  func updateCounts(_ workers: Workers) throws -> String {
    let path = path
    // The first one of a project makes its folder, too. If that fails, the next line says why.
    try? FileManager.default.createDirectory(atPath: baselines, withIntermediateDirectories: true)
    try AtomicFile.checkWritable(path)
    let old = try TextFile.text(of: path) == nil ? [:] : try read().rows
    let fresh = try count(try chosen(old), workers, processes: 3)
    var baseline = Self.empty
    if !rows.isEverything { baseline.rows = old }
    baseline.take(
      Dictionary(
        uniqueKeysWithValues: fresh.map { id, counts in
          // Instructions stay, where they were not counted this time.
          let kept = instructions ? [:] : old[id]?.filter { $0.key == .instructions } ?? [:]
          return (id, kept.merging(counts) { $1 })
        }))
    try AtomicFile.write(try baseline.text(), to: path)
    return path
  }

  /// The rows that were asked for. Without a choice they are those of the file: some workloads take minutes
  /// to count, and get into it only by their name.
  private func chosen(_ baseline: [String: Counts]) throws -> [SuitePlan.Case] {
    let cases = try rows.cases(quick: true, alsoC: false)
    guard rows.isEverything, !baseline.isEmpty else { return cases }
    let counted = Self.only(cases, Array(baseline.keys))
    let others = Set(cases.map(\.workload.name)).subtracting(
      counted.filter { !$0.styles.isEmpty }.map(\.workload.name))
    if !others.isEmpty {
      let names = others.sorted().joined(separator: ", ")
      print("not in the baseline, so not counted: \(names); `gate --counts --update -w NAME` adds one")
    }
    return counted
  }

  private func count(
    _ cases: [SuitePlan.Case], _ workers: Workers, processes: Int = 1
  ) throws -> [String: Counts] {
    guard !Counters.all.isEmpty else {
      throw NotComparable("allocations cannot be counted on this system: it takes glibc on Linux")
    }
    let runner = CountsRunner(progress: Progress(), startWorker: workers.start)
    var counts = try runner.run(cases, processes: processes)
    guard instructions else { return counts }
    for (id, value) in try InstructionCounter(workers).count(cases, repetitions: processes) {
      counts[id]?[.instructions] = value
    }
    return counts
  }

  private func read() throws -> CountsBaseline {
    guard let text = try TextFile.text(of: path) else {
      throw NotComparable(
        "no baseline for these versions: there is no \(path); make it with `gate --counts --update`")
    }
    guard let baseline = try? LineJSON.value(CountsBaseline.self, text) else {
      throw UsageError(
        "\(path) is broken: it is no baseline of counts; restore it, or remove it and use --counts --update")
    }
    return baseline
  }

  static func only(_ cases: [SuitePlan.Case], _ ids: [String]) -> [SuitePlan.Case] {
    cases.map { item in
      let styles = item.styles.filter { ids.contains(item.id($0).description) }
      return SuitePlan.Case(workload: item.workload, parameters: item.parameters, styles: styles)
    }
  }
}
