extension Results {
  /// Prometheus' exposition format, for a push gateway or a file that a node exporter reads.
  var prometheus: String {
    var lines: [String] = []
    func family(_ name: String, _ help: String, _ samples: (RowResult) -> [(String, Double?)]) {
      lines.append("# HELP uvbench_\(name) \(help)")
      lines.append("# TYPE uvbench_\(name) gauge")
      for row in results {
        for (label, value) in samples(row) {
          guard let value, value.isFinite else { continue }
          lines.append("uvbench_\(name){\(Self.labels(row))\(label)} \(value)")
        }
      }
    }
    family("throughput_operations_per_second", "Operations per second, the median of the rounds.") {
      [("", $0.median.throughput)]
    }
    family("cpu_seconds_per_operation", "Processor time of the measured side per operation.") {
      [("", $0.median.cpuNanosecondsPerOperation / 1e9)]
    }
    family("cpu_ratio_to_c", "Processor time per operation as a ratio to the row in C.") {
      [("", $0.ratioToC?.cpu)]
    }
    family("latency_seconds", "Latency by quantile, over all rounds.") { row in
      let latency = row.pooledLatency
      let quantiles = [
        ("0.5", latency.p50), ("0.9", latency.p90), ("0.99", latency.p99), ("0.999", latency.p999),
        ("1", latency.max),
      ]
      return quantiles.map { (",quantile=\"\($0.0)\"", $0.1.map { Double($0) / 1e9 }) }
    }
    family("peak_resident_bytes", "The largest resident size of the measured side.") {
      [("", Double($0.median.peakRSSBytes))]
    }
    family("count_per_operation", "What was counted per operation.") { row in
      row.countsPerOperation.sorted { $0.key < $1.key }.filter { $0.key != "marks" }
        .map { (",counter=\"\(Self.escaped($0.key))\"", $0.value) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func labels(_ row: RowResult) -> String {
    let own = [("workload", row.workload), ("style", row.style.rawValue)]
    let parameters = row.parameters.names.map { name in
      (String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" }), "\(row.parameters[name])")
    }
    return (own + parameters).map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",")
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { out, character in
      switch character {
      case "\\": out += "\\\\"
      case "\"": out += "\\\""
      case "\n": out += "\\n"
      default: out.append(character)
      }
    }
  }
}
