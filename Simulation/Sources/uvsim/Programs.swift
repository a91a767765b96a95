import RandomPrograms
import UVSimulation

/// What `uvsim programs --help` says.
let programsHelp = """
  usage: uvsim programs [COUNT | FIRST-LAST] [--seed FIRST] [--show] [--whole]

  Draws programs from seeds, runs them in the simulation and compares each answer with a model. A program has tasks on
  two hosts, which share streams (TCP, TLS, sockets of the Unix domain), files and pools. Each step asks for something by a
  callback, a request, a task, a promise or a publisher; many are cancelled, or have a timeout or a deadline. Each request
  must be answered once and in time, bytes must come once and in order, and nothing may be left open.

  The first program that fails is made smaller: with fewer steps, and plainer ones. The rest is printed as Swift, to be
  pasted into a test of the package Simulation. The exit code is then 1.

    COUNT        how many programs; 1000 unless said
    FIRST-LAST   those of a range of seeds
    --seed FIRST begins with this seed and not with 1
    --show       prints the program of each seed, and doesn't run it
    --whole      doesn't make a failing program smaller

  examples
    uvsim programs                    1000 programs, which take about a minute
    uvsim programs 10000 --seed 1001  the next ten thousand
    uvsim programs 17-17              one of them again
  """

/// Runs the programs of a range of seeds until one fails, and prints that.
///
/// - Parameter words: The arguments.
/// - Returns: The exit code.
func programs(_ words: some Collection<String>) -> Int32 {
  var range: ClosedRange<UInt64> = 1...1000
  var (shows, isWhole) = (false, false)
  var rest = Array(words)
  while let word = rest.first {
    rest.removeFirst()
    switch word {
    case "--help", "-h":
      print(programsHelp)
      return 0
    case "--show": shows = true
    case "--whole": isWhole = true
    case "--seed":
      guard let first = rest.first.flatMap({ UInt64($0) }) else {
        print("uvsim programs: --seed wants a number; see uvsim programs --help")
        return 2
      }
      rest.removeFirst()
      range = first...(first + UInt64(range.count - 1))
    default:
      guard let some = seeds(word) else {
        print(
          "uvsim programs: \(word) is neither a number of programs nor a range of seeds; see uvsim programs --help"
        )
        return 2
      }
      range = word.contains("-") ? some : range.lowerBound...(range.lowerBound + UInt64(some.count - 1))
    }
  }
  HuntedRun.begin()
  var progress = Progress(count: range.count)
  for seed in range {
    let program = RandomProgram(seed: seed)
    if shows {
      print(program.code)
      continue
    }
    HuntedRun.note("a program", seed, command: "programs \(seed)-\(seed)")
    progress.show("a program", seed)
    guard let failure = program.failure else { continue }
    progress.end()
    print("program of seed \(seed): \(failure)")
    if isWhole {
      print(program.code)
      return 1
    }
    let small = program.shrunk { one in
      HuntedRun.note("a program that is made smaller", seed, command: "programs \(seed)-\(seed) --whole")
      return one.failure
    }
    print("// \(small.failure ?? "it fails only sometimes")")
    print(small.code)
    return 1
  }
  progress.end()
  if !shows { print("nothing found in \(range.count) programs") }
  return 0
}
