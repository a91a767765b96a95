import Foundation
import UV

/// libFuzzer's own loop, for a program that has its own beginning.
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ feed: @convention(c) (UnsafePointer<UInt8>, Int) -> Int32
) -> Int32

private let entry = ProcessInfo.processInfo.environment["FUZZ_ENTRY"].flatMap(FuzzEntry.init) ?? .address
private let directory = NSTemporaryDirectory() + "/fuzz-\(getpid())"

nonisolated func feed(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  let (entry, directory) = (entry, directory)
  do {
    let problem = try EventLoop.run { loop in try await entry.feed(input, to: loop, directory: directory) }
    if let problem { fatalError(problem) }
  } catch { fatalError("\(error)") }
  return 0
}

try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
// libFuzzer keeps what leads to new places in the folder that is the first argument. The corpus goes there first.
for (index, input) in entry.corpus.enumerated() {
  try Data(input).write(to: URL(fileURLWithPath: "\(CommandLine.arguments[1])/begin-\(index)"))
}
var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(runFuzzer(&count, &arguments) { feed($0, $1) })
