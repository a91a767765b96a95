// Reads a file a thousand times while lookups hang, and looks up a name that /etc/hosts has.
//
//   names pool|resolver COUNT    prints the milliseconds of the reads' p50 and p99, and of that lookup
import Foundation
import UVDNS

let arguments = CommandLine.arguments
guard arguments.count == 3, ["pool", "resolver"].contains(arguments[1]), let count = Int(arguments[2]) else {
  fatalError("names pool|resolver COUNT")
}
// Lookups that hang would take hours.
let limit = Duration.seconds(10)

@Sendable func milliseconds(_ time: Duration?) -> String {
  time.map { String(format: "%.2f", $0 / .milliseconds(1)) } ?? "more than \(Int(limit / .milliseconds(1)))"
}

EventLoop.main { loop in
  func time(_ body: () async throws -> Void) async -> Duration? {
    let start = loop.clock.now
    do { try await body() } catch { return nil }
    return start.duration(to: loop.clock.now)
  }
  if arguments[1] == "resolver" { loop.dns.use(loop.resolver) }
  for number in 0..<count { loop.dns.resolve("host\(number).example.org") { _ in } }
  var times: [Duration?] = []
  for _ in 0..<1000 {
    // The lookups have begun by then.
    try await loop.sleep(for: .milliseconds(1)).value
    times.append(await time { _ = try await loop.files.readFile("/etc/hosts").timeout(after: limit).value })
    if times.last == .some(nil) { break }
  }
  let named = await time { _ = try await loop.dns.resolve("living.test").timeout(after: limit).value }
  let sorted = times.sorted { ($0 ?? limit) < ($1 ?? limit) }
  let (middle, late) = (sorted[sorted.count / 2], sorted[sorted.count * 99 / 100])
  print(arguments[1], count, milliseconds(middle), milliseconds(late), milliseconds(named), separator: "\t")
  // Lookups on the pool hang for minutes.
  fflush(nil)
  _exit(0)
}
