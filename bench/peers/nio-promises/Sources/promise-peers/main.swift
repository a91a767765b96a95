// Compares this library's promises with SwiftNIO's futures: processor time and allocations per operation, and
// their ratios. The two take turns, and of each the best run counts.

/// A workload in both libraries, and how often to do it in a run.
struct Comparison {
  var name: String
  var count: Int
  var ours: (Int) -> Void
  var theirs: (Int) -> Void
}

let comparisons = [
  Comparison(
    name: "pending + map x3", count: 50_000, ours: UVWorkloads.mapChain, theirs: NIOWorkloads.mapChain),
  Comparison(
    name: "pending + flatMap x3", count: 50_000, ours: UVWorkloads.flatMapChain,
    theirs: NIOWorkloads.flatMapChain),
  Comparison(
    name: "when of 1,000", count: 100, ours: UVWorkloads.whenOfThousand, theirs: NIOWorkloads.whenOfThousand),
]

func number(_ value: Double) -> String {
  value < 100 ? "\((value * 100).rounded() / 100)" : "\(Int(value.rounded()))"
}

func row(_ name: String, _ columns: [String]) {
  print(
    name + String(repeating: " ", count: 22 - name.count)
      + columns.map { String(repeating: " ", count: max(1, 13 - $0.count)) + $0 }.joined())
}

let rounds = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? 21 : 21
row("per operation", ["UV ns", "NIO ns", "ratio", "UV allocs", "NIO allocs", "ratio"])
for comparison in comparisons {
  var ours = Measurement()
  var theirs = Measurement()
  for _ in 0..<rounds {
    ours.add(comparison.count, comparison.ours)
    theirs.add(comparison.count, comparison.theirs)
  }
  row(
    comparison.name,
    [
      number(ours.nanoseconds), number(theirs.nanoseconds), number(ours.nanoseconds / theirs.nanoseconds),
      number(ours.allocations), number(theirs.allocations), number(ours.allocations / theirs.allocations),
    ])
}

let (time, memory) = UVWorkloads.recursion(of: 10_000_000)
print(
  "a recursion of 10,000,000 UV promises: \(number(time)) ns a step, memory grown by \(memory / 1024) KiB")
