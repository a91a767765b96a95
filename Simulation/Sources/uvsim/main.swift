// What is measured and compared of simulations.
//
//   uvsim digests [SEEDS | FIRST-LAST] [WORLD]…
//     the digests of these seeds, to be compared with another process or another build; without a WORLD those of timers and tasks
//   uvsim calls SEED WORLD
//     runs one world with one seed, and prints all calls
//   uvsim measure
//     how fast worlds run
//   uvsim serve SERVER REQUESTS [ROUNDS]
//     has a server answer so many requests of each of eight connections, for Simulation/count; ROUNDS of a loop make it slower
//   uvsim servers
//     the names of these servers
//   uvsim worlds
//     the names of the worlds that bugs are hunted in
//   uvsim hunt [SEEDS | FIRST-LAST] [WORLD]…
//     looks for bugs of the library with so many seeds (100 unless said), in the WORLD, or in worlds whose names contain that;
//     says on the standard error how far it has come, and after a failure or a crash which command repeats it
//   uvsim show SEED WORLD
//     runs one world with one seed, and says all that an error says, with the last calls
//   uvsim shrink SEED WORLD
//     makes a failing run smaller, and prints it as code
//   uvsim programs [COUNT | FIRST-LAST] [--seed FIRST]
//     draws programs from seeds, compares them with a model, and prints the smallest that fails as code; its --help says more
//   uvsim preload [OPTION]… --host server='COMMAND' --host client='COMMAND'
//     runs unchanged programs on the simulated kernel, as Simulation/Preload/run does; its --help says more

import Glibc
import SimulatedWorlds

let arguments = Array(CommandLine.arguments.dropFirst())

/// The worlds whose names are one of the texts, or else contain one of them.
func worlds(_ names: some Collection<String>) -> [HuntedWorld] {
  let named = allWorlds.filter { names.contains($0.name) }
  if !named.isEmpty { return named }
  let worlds = allWorlds.filter { world in names.isEmpty || names.contains { world.name.contains($0) } }
  if worlds.isEmpty {
    print("no world has such a name; `uvsim worlds` lists them")
    exit(2)
  }
  return worlds
}

/// So many seeds from the first one on, or those of a range; nil if the text is neither.
func seeds(_ text: String) -> ClosedRange<UInt64>? {
  let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) ?? 0 }
  switch numbers.count {
  case 1 where numbers[0] > 0: return 1...numbers[0]
  case 2 where numbers[0] > 0 && numbers[0] <= numbers[1]: return numbers[0]...numbers[1]
  default: return nil
  }
}

/// The same; says so and ends if the text is neither.
func neededSeeds(_ text: String) -> ClosedRange<UInt64> {
  if let seeds = seeds(text) { return seeds }
  print("uvsim \(arguments[0]): \(text) is neither a number of seeds nor a range of them")
  exit(2)
}

switch arguments.first {
case "digests" where arguments.count > 2:
  printDigests(neededSeeds(arguments[1]), worlds(arguments.dropFirst(2)))
case "digests": try printDigests(arguments.count > 1 ? UInt64(arguments[1])! : 10)
case "calls" where arguments.count > 2:
  for world in worlds(arguments.dropFirst(2)) { printCalls(UInt64(arguments[1])!, world) }
case "measure": try measure()
case "servers": for server in CountedServer.all { print(server.name) }
case "serve" where arguments.count > 2:
  guard let server = CountedServer.all.first(where: { $0.name == arguments[1] }) else {
    print("no server has such a name; `uvsim servers` lists them")
    exit(2)
  }
  try server.run(requests: Int(arguments[2])!, rounds: arguments.count > 3 ? Int(arguments[3])! : 0)
case "worlds": for world in allWorlds { print(world.name) }
case "hunt":
  let seeds = neededSeeds(arguments.count > 1 ? arguments[1] : "100")
  exit(hunt(seeds, worlds(arguments.dropFirst(2)), isVerbose: false) ? 0 : 1)
case "show" where arguments.count > 2:
  let seed = UInt64(arguments[1])!
  exit(hunt(seed...seed, worlds(arguments.dropFirst(2)), isVerbose: true) ? 0 : 1)
case "shrink" where arguments.count > 2:
  let seed = UInt64(arguments[1])!
  for world in worlds(arguments.dropFirst(2)) { shrink(seed, world) }
case "programs": exit(programs(arguments.dropFirst()))
case "preload":
  // The programs are run with a library that is built of the sources.
  let command = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/Preload/run"
  guard let path = realpath(command, nil) else {
    print("uvsim preload: the sources that uvsim was built of aren't there any more: \(command)")
    exit(2)
  }
  var words = [path] + arguments.dropFirst().map { strdup($0) } + [nil]
  execv(path, &words)
  print("uvsim preload: \(String(cString: path)) can't be run: \(String(cString: strerror(errno)))")
  exit(2)
default:
  print(
    "usage: uvsim digests [SEEDS] | measure | serve SERVER REQUESTS [ROUNDS] | servers | worlds | hunt [SEEDS | FIRST-LAST] [WORLD]… | show SEED WORLD | shrink SEED WORLD | programs [COUNT | FIRST-LAST] [--seed FIRST] | preload [OPTION]… --host NAME=COMMAND…"
  )
}
