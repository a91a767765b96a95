// Runs random programs on the system's kernel, several at a time.
//
//   real-programs SECONDS FIRST FOLDER   programs from the seed FIRST on, for so long
//   real-programs --seed SEED FOLDER     one of them
//
// Each is in a folder of its own below FOLDER, where it leaves its name if the process crashes.

import Foundation

let arguments = CommandLine.arguments
let numbers = arguments.dropFirst().compactMap { UInt64($0) }
let isOne = arguments.dropFirst().first == "--seed"
guard arguments.count == 4, numbers.count == (isOne ? 1 : 2) else {
  print("usage: real-programs SECONDS FIRST FOLDER | --seed SEED FOLDER")
  exit(2)
}
let runner = Runner(root: arguments[3], first: numbers.last!, seconds: isOne ? 0 : Double(numbers[0]))
runner.run(threads: isOne ? 1 : 12)
print("nothing found in \(runner.count) programs")
