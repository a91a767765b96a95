/// What each function spent in instructions, itself and through those that it called.
struct CallGraph: Sendable {
  struct Call: Hashable, Sendable {
    var caller: String
    var callee: String
  }

  var own: [String: Double] = [:]
  /// What was spent in each call, those that it made in turn included.
  var calls: [Call: Double] = [:]

  var total: Double { own.values.reduce(0, +) }

  /// What one operation spends: the difference to a graph of so many operations more.
  func slope(to other: CallGraph, operations: Int) -> CallGraph {
    var slope = CallGraph()
    let each = Double(operations)
    for (name, spent) in other.own { slope.own[name] = max(0, spent - (own[name] ?? 0)) / each }
    for (call, spent) in other.calls { slope.calls[call] = max(0, spent - (calls[call] ?? 0)) / each }
    return slope
  }

  /// The same with other names; functions that get the same one become one.
  func renamed(_ name: (String) -> String) -> CallGraph {
    var graph = CallGraph()
    for (function, spent) in own { graph.own[name(function), default: 0] += spent }
    for (call, spent) in calls {
      graph.calls[Call(caller: name(call.caller), callee: name(call.callee)), default: 0] += spent
    }
    return graph
  }
}
