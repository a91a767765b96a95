// Runs the examples in simulations, and prints a table.
//
//   SimulatedExamples [SEEDS | FIRST-LAST] [EXAMPLE…]

import Glibc
import UVSimulation

let worlds: [(name: String, world: (World) throws -> Void)] = [
  ("FileServer", fileServerWorld), ("RedisServer", redisServerWorld), ("Proxy", proxyWorld),
  ("Chat", chatWorld), ("TLS", tlsWorld), ("HTTPServer", httpServerWorld),
  // Not examples, but what needs the packages that they need.
  ("Publishers", publishersWorld), ("NIO", nioWorld),
]

var seeds: ClosedRange<UInt64> = 1...1000
var names: [String] = []
for argument in CommandLine.arguments.dropFirst() {
  let parts = argument.split(separator: "-").compactMap { UInt64($0) }
  switch parts.count {
  case 1: seeds = 1...max(parts[0], 1)
  case 2: seeds = parts[0]...max(parts[0], parts[1])
  default: names.append(argument)
  }
}

// What the examples say on their standard output isn't part of the table.
let table = dup(1)
dup2(open("/dev/null", O_WRONLY), 1)

func say(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = write(table, bytes, bytes.count)
}

say("| example | seeds, each twice | virtual time | real time | faults | found |")
say("|---|---|---|---|---|---|")
var isClean = true
for (name, world) in worlds where names.isEmpty || names.contains(name) {
  var (virtual, faults, found) = (Duration.zero, 0, 0)
  let real = ContinuousClock().measure {
    for seed in seeds {
      do {
        let one = try Simulation(seed: seed, weather: .storm, world)
        let two = try Simulation(seed: seed, weather: .storm, world)
        virtual += one.duration + two.duration
        faults += one.faultCount + two.faultCount
        if one.digest != two.digest {
          found += 1
          say("\(name), seed \(seed): two runs differ, \(String(describing: one.firstDifference(from: two)))")
        }
      } catch {
        found += 1
        say("\(name): \(error)")
      }
    }
  }
  isClean = isClean && found == 0
  say(
    "| \(name) | \(seeds.count) | \(virtual.components.seconds) s | \(real.components.seconds) s | \(faults) | \(found) |"
  )
}
exit(isClean ? 0 : 1)
