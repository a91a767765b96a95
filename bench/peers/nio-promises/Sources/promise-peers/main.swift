import Glibc
import CAllocations

/// A workload in both libraries, and the counts to run it with.
struct Comparison {
  var name: String
  var count: Int
  var ours: (Int) -> Void
  var theirs: (Int) -> Void
}

let comparisons = [
  Comparison(
    name: "pending + map x3", count: 100_000, ours: UVWorkloads.mapChain, theirs: NIOWorkloads.mapChain),
  Comparison(
    name: "pending + flatMap x3", count: 100_000, ours: UVWorkloads.flatMapChain,
    theirs: NIOWorkloads.flatMapChain),
  Comparison(
    name: "when of 1,000", count: 200, ours: UVWorkloads.whenOfThousand, theirs: NIOWorkloads.whenOfThousand),
]

func pad(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

func number(_ value: Double) -> String { value < 100 ? "\((value * 100).rounded() / 100)" : "\(Int(value.rounded()))" }

if CommandLine.arguments.count > 1 {
  if CommandLine.arguments[1] == "uv" { UVWorkloads.mapChain(Int(CommandLine.arguments[2])!) } else { NIOWorkloads.mapChain(Int(CommandLine.arguments[2])!) }
  exit(0)
}
print(
  "workload".padded(24) + pad("UV ns", 10) + pad("NIO ns", 10) + pad("ratio", 8) + pad("UV allocs", 12)
    + pad("NIO allocs", 12) + pad("ratio", 8))
for comparison in comparisons {
  let ours = measure(comparison.count, comparison.ours)
  let theirs = measure(comparison.count, comparison.theirs)
  print(
    comparison.name.padded(24) + pad(number(ours.nanoseconds), 10) + pad(number(theirs.nanoseconds), 10)
      + pad(number(ours.nanoseconds / theirs.nanoseconds), 8) + pad(number(ours.allocations), 12)
      + pad(number(theirs.allocations), 12) + pad(number(ours.allocations / theirs.allocations), 8))
}

extension String {
  func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
