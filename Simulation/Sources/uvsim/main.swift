// What is measured and compared of simulations.
//
//   uvsim digests [SEEDS]     the digests of the first seeds, to be compared with another process or another build
//   uvsim measure             how fast worlds run

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "digests": try printDigests(arguments.count > 2 ? UInt64(arguments[2])! : 10)
case "measure": try measure()
default: print("usage: uvsim digests [SEEDS] | uvsim measure")
}
