/// A number that a workload depends on, such as its connections.
public struct Parameter: Sendable {
  /// The name, as in `--connections` without the dashes.
  public var name: String
  public var help: String
  /// The values to run, each as a case of its own.
  public var values: [Int]
  /// The values of a quick run, where the usual ones would take too long.
  public var quickValues: [Int]?
  /// The values that it may be given. Others are refused before a worker starts.
  public var range: ClosedRange<Int>
  /// Whether the measured process has a descriptor open for each. Values for which
  /// `RLIMIT_NOFILE` leaves no room are refused, too.
  public var takesDescriptors: Bool
  /// The values that this build of the program doesn't have, and how it could be had.
  public var notBuilt: [Int: String] = [:]

  /// A parameter with the values it takes by default. The command line takes none that is
  /// negative.
  public init(
    _ name: String, _ values: Int..., quick: Int? = nil, in range: ClosedRange<Int> = Int.min...Int.max,
    takesDescriptors: Bool = false, help: String
  ) {
    (self.name, self.values) = (name, values)
    self.quickValues = quick.map { [$0] }
    (self.range, self.takesDescriptors, self.help) = (range, takesDescriptors, help)
  }

  /// The parameter in a build that doesn't have a value: it isn't run unless it is asked for, and then refused.
  public func without(_ value: Int, _ way: String) -> Parameter {
    var parameter = self
    parameter.values.removeAll { $0 == value }
    parameter.quickValues?.removeAll { $0 == value }
    parameter.notBuilt[value] = way
    return parameter
  }

  /// What isn't built in, in a sentence for each value.
  var gaps: [String] {
    notBuilt.sorted { $0.key < $1.key }.map { "\(name)=\($0.key) isn't built in: \($0.value)" }
  }

  /// Throws unless the parameter may have this value here.
  func check(_ value: Int) throws {
    guard range.contains(value) else {
      let first = range.lowerBound == .min ? "" : "\(range.lowerBound)"
      let last = range.upperBound == .max ? "" : "\(range.upperBound)"
      throw UsageError("--\(name): \(value) is not in \(first)…\(last)")
    }
    if let way = notBuilt[value] { throw UsageError("--\(name): \(value) isn't built in: \(way)") }
    guard takesDescriptors, let limit = DescriptorLimit.current, value > limit.spare else { return }
    throw UsageError(
      "--\(name): \(value) are too many: RLIMIT_NOFILE is \(limit.hard), so there can be \(limit.spare)")
  }
}

/// The parameters of one case, by name.
public struct ParameterValues: Hashable, Sendable, CustomStringConvertible {
  private var values: [String: Int]

  public init(_ values: [String: Int] = [:]) { self.values = values }

  /// The value of a parameter that the workload declares.
  public subscript(name: String) -> Int {
    guard let value = values[name] else { preconditionFailure("no parameter named \(name)") }
    return value
  }

  /// The value of a parameter, or nil where the workload has none of that name.
  public func value(_ name: String) -> Int? { values[name] }

  /// Names in alphabetical order.
  public var names: [String] { values.keys.sorted() }

  /// `connections=50` and its like, in the order of the names.
  public var pairs: [String] { values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" } }

  /// `connections=50 size=64`.
  public var description: String { pairs.joined(separator: " ") }

  /// Every combination of the values of `parameters`, later ones varying fastest.
  /// `overrides` replaces the values of the parameters it names.
  public static func matrix(
    _ parameters: [Parameter], quick: Bool = false, overrides: [String: [Int]] = [:]
  ) -> [ParameterValues] {
    var combinations: [[String: Int]] = [[:]]
    for parameter in parameters {
      let usual = quick ? parameter.quickValues ?? parameter.values : parameter.values
      let values = overrides[parameter.name] ?? usual
      combinations = combinations.flatMap { known in
        values.map { known.merging([parameter.name: $0]) { $1 } }
      }
    }
    return combinations.map(ParameterValues.init)
  }
}

extension ParameterValues: Codable {
  public init(from decoder: any Decoder) throws { values = try [String: Int](from: decoder) }
  public func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
}
