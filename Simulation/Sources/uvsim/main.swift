// What is measured and compared of simulations.
//
//   uvsim digests [SEEDS]     the digests of the first seeds, to be compared with another process or another build
//   uvsim measure             how fast worlds run
//   uvsim hunt [SEEDS [all]]  looks for bugs of the library with so many seeds; says all that an error says

import Glibc

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "digests": try printDigests(arguments.count > 2 ? UInt64(arguments[2])! : 10)
case "measure": try measure()
case "hunt":
  let isClean = hunt(arguments.count > 2 ? UInt64(arguments[2])! : 100, verbose: arguments.count > 3)
  exit(isClean ? 0 : 1)
default: print("usage: uvsim digests [SEEDS] | uvsim measure | uvsim hunt [SEEDS [all]]")
}
