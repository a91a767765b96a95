/// How it is found out whether the cost of a style grows faster than that of the row in C: one parameter of a
/// workload is raised while the others stay.
public struct Scaling: Sendable {
  public struct Axis: Sendable {
    var parameter: String
    var values: [Int]
    /// The values of a quick run.
    var quickValues: [Int]
    var others: [String: Int]

    public init(_ parameter: String, _ values: [Int], quick: [Int]? = nil, with others: [String: Int]) {
      (self.parameter, self.values) = (parameter, values)
      quickValues = quick ?? values
      self.others = others
    }

    func has(_ row: RowResult) -> Bool { others.allSatisfy { row.parameters.value($0.key) == $0.value } }
  }

  var workload: any Workload
  var axes: [Axis]
  /// The parameter of which each takes a descriptor of the measured process.
  var descriptors: String
  /// The parameters at which latencies are compared.
  var latency: [String: Int]

  public init(workload: any Workload, axes: [Axis], descriptors: String, latency: [String: Int]) {
    (self.workload, self.axes, self.descriptors, self.latency) = (workload, axes, descriptors, latency)
  }

  /// A case for every value of every axis, and none twice; values of `descriptors` above `limit` become
  /// `limit`.
  func cases(styles: [Style], quick: Bool, limit: Int) -> [SuitePlan.Case] {
    var seen: Set<ParameterValues> = []
    return axes.flatMap { axis in
      (quick ? axis.quickValues : axis.values).map { value in
        let value = axis.parameter == descriptors ? min(value, limit) : value
        return ParameterValues(axis.others.merging([axis.parameter: value]) { $1 })
      }
    }
    .filter { seen.insert($0).inserted }
    .map { SuitePlan.Case(workload: workload, parameters: $0, styles: styles) }
  }
}
