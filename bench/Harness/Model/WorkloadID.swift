/// The full name of a row: `NAME@1/async?connections=50&size=64`.
///
/// The number after `@` is the revision of the workload. A worker refuses an id of
/// another revision, so that a harness never compares two different works.
public struct WorkloadID: Hashable, Sendable, CustomStringConvertible {
  public var workload: String
  public var revision: Int
  public var style: Style
  public var parameters: ParameterValues

  public init(workload: String, revision: Int, style: Style, parameters: ParameterValues) {
    (self.workload, self.revision, self.style, self.parameters) = (workload, revision, style, parameters)
  }

  public var description: String {
    let query = parameters.pairs.joined(separator: "&")
    return "\(workload)@\(revision)/\(style)" + (query.isEmpty ? "" : "?" + query)
  }

  public init?(_ text: some StringProtocol) {
    let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = halves.first else { return nil }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty else { return nil }
    let name = parts[0].split(separator: "@", omittingEmptySubsequences: false)
    guard name.count == 2, !name[0].isEmpty, let revision = Int(name[1]) else { return nil }
    var values: [String: Int] = [:]
    for pair in halves.count == 2 ? halves[1].split(separator: "&") : [] {
      let sides = pair.split(separator: "=", omittingEmptySubsequences: false)
      guard sides.count == 2, let value = Int(sides[1]) else { return nil }
      values[String(sides[0])] = value
    }
    self.init(
      workload: String(name[0]), revision: revision, style: Style(rawValue: String(parts[1])),
      parameters: ParameterValues(values))
  }
}
