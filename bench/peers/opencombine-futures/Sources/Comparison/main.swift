import AllocationHooks
import Ours
import Theirs

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct Row {
  let name: String
  let count: Int
  let target: Double
  let theirs: (Int) -> Int
  let ours: (Int) -> Int
}

struct Sample {
  var nanoseconds: Double
  var allocations: Double
  var result: Int
}

func measure(_ count: Int, _ body: (Int) -> Int) -> Sample {
  let clock = ContinuousClock()
  let before = bench_hooks_allocations()
  bench_hooks_count(1)
  let start = clock.now
  let result = body(count)
  let (seconds, attoseconds) = (clock.now - start).components
  bench_hooks_count(0)
  let time = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
  return Sample(
    nanoseconds: time / Double(count),
    allocations: Double(bench_hooks_allocations() - before) / Double(count), result: result)
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func padded(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

func fixed(_ value: Double, _ digits: Int) -> String {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let scaled = Int((value * scale).rounded())
  if digits == 0 { return "\(scaled)" }
  let fraction = "\(scaled % Int(scale))"
  return "\(scaled / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
}

let rows = [
  Row(
    name: "create-resolve-sink", count: 100_000, target: 0.20,
    theirs: Theirs.createResolveSink, ours: Ours.createResolveSink),
  Row(
    name: "create-sink-resolve", count: 100_000, target: 0.20,
    theirs: Theirs.createSinkResolve, ours: Ours.createSinkResolve),
  Row(
    name: "create-map×3-sink", count: 100_000, target: 0.20, theirs: Theirs.mapThreeTimes,
    ours: Ours.mapThreeTimes),
  Row(
    name: "flatMap×3", count: 30_000, target: 0.20,
    theirs: Theirs.flatMapThreeTimes, ours: Ours.flatMapThreeTimes),
  Row(
    name: "subject-send", count: 1_000_000, target: 1.0, theirs: Theirs.subjectSend, ours: Ours.subjectSend),
]

// How deep: a process of its own for each depth, since one that goes too deep ends without a word.
let chains: [String: (Int) -> Int] = [
  "theirs-chain": Theirs.erasedChain, "theirs-recursion": Theirs.recursion,
  "ours-chain": Ours.erasedChain, "ours-recursion": Ours.recursion,
]
if CommandLine.arguments.count == 3, let chain = chains[CommandLine.arguments[1]] {
  let depth = Int(CommandLine.arguments[2]) ?? 1
  exit(chain(depth) == depth ? 0 : 1)
}

// For a profiler: one row of ours, so many times.
if CommandLine.arguments.count == 3, let row = rows.first(where: { $0.name == CommandLine.arguments[1] }) {
  print(row.ours(Int(CommandLine.arguments[2]) ?? 1))
  exit(0)
}

print("\(padded("", 20))      OpenCombine             this       ratio")
print("\(padded("", 20))     ns     allocs      ns     allocs")
var isWithinTargets = true
for row in rows {
  var (theirs, ours, ratios): ([Sample], [Sample], [Double]) = ([], [], [])
  for round in 0..<12 {
    // In turns, so that neither side always has the warmer machine.
    let (a, b): (Sample, Sample)
    if round.isMultiple(of: 2) {
      a = measure(row.count, row.theirs)
      b = measure(row.count, row.ours)
    } else {
      b = measure(row.count, row.ours)
      a = measure(row.count, row.theirs)
    }
    precondition(a.result == b.result, "\(row.name): the two sides disagree")
    // The first rounds warm up.
    guard round >= 2 else { continue }
    theirs.append(a)
    ours.append(b)
    ratios.append(b.nanoseconds / a.nanoseconds)
  }
  let ratio = median(ratios)
  let isWithin = ratio <= row.target * (row.target == 1 ? 1.05 : 1)
  isWithinTargets = isWithinTargets && isWithin
  print(
    padded(row.name, 20), padded(fixed(median(theirs.map(\.nanoseconds)), 0), 6),
    padded(fixed(theirs[0].allocations, 1), 8), padded(fixed(median(ours.map(\.nanoseconds)), 0), 8),
    padded(fixed(ours[0].allocations, 1), 8), padded(fixed(ratio, 2) + "×", 9),
    isWithin ? "" : "  over \(row.target)×")
}
if !isWithinTargets { print("Over a target.") }
