import Glibc
import UV

extension SimulationError {
  /// A page of HTML that shows the end of the failing run to a person: each host is a lane, what was sent is
  /// an arrow, and what was done to the world is marked.
  public var page: String {
    TracePage(
      title: description, hosts: hosts, entries: trace, faults: faults,
      end: "the run failed here"
    ).html
  }

  /// Writes the page to the path in the environment variable `UV_SIMULATION_PAGE`, if there is one.
  func writePage() {
    guard let path = getenv("UV_SIMULATION_PAGE") else { return }
    guard let file = fopen(path, "w"), fputs(page, file) >= 0, fclose(file) == 0 else {
      return perror("UV_SIMULATION_PAGE: \(String(cString: path))")
    }
  }
}

extension Simulation {
  /// A page of HTML that shows the end of the run; see ``SimulationError/page``.
  public var page: String {
    TracePage(
      title: "seed \(seed), \(duration), digest \(digest)", hosts: hosts, entries: trace, faults: faults
    ).html
  }
}

/// What was done to a world, and when.
public struct WorldFault: Sendable, Hashable {
  /// The world's time.
  public let time: Duration
  /// What was done.
  public let text: String
}

/// Draws a trace, from top to bottom.
struct TracePage {
  let title: String
  let hosts: [String]
  let entries: [TraceEntry]
  let faults: [WorldFault]
  /// Why the run ended there; nil if it didn't fail.
  var end: String?

  /// A line of the page: a call, or something that was done to the world.
  private struct Row {
    var time: Duration
    var entry: TraceEntry?
    var fault: String?
  }

  private static let laneWidth = 240
  private static let rowHeight = 18
  /// Calls by which a loop only looks, or gets ready.
  private static let quiet: Set<String> = [
    "epoll_ctl", "epoll_wait", "epoll_create", "eventfd", "pipe", "fcntl", "ioctl", "getsockopt",
    "setsockopt",
    "getsockname", "getpeername", "pthread_create", "step", "nanosleep", "begin",
  ]
  private static let sending: Set<String> = ["write", "sendmsg", "sendfile"]

  private func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
    return result
  }

  private func x(_ host: String) -> Int {
    190 + (hosts.firstIndex(of: host) ?? 0) * Self.laneWidth
  }

  private func y(_ row: Int) -> Int { 60 + row * Self.rowHeight }

  /// The calls that say something. What a loop writes to itself to wake up doesn't.
  private var shown: [TraceEntry] {
    var alarms: Set<String> = []
    return entries.filter { entry in
      if entry.call == "eventfd" { alarms.insert("\(entry.host) \(entry.result)") }
      let descriptor = entry.descriptor.map { "\(entry.host) \($0)" } ?? ""
      if entry.call == "close" { alarms.remove(descriptor) }
      return !Self.quiet.contains(entry.call) && hosts.contains(entry.host) && !alarms.contains(descriptor)
    }
  }

  /// The rows of the page, in time.
  private var rows: [Row] {
    var rows = shown.map { Row(time: $0.time, entry: $0) }
    if let first = entries.first?.time {
      rows += faults.filter { $0.time >= first }.map { Row(time: $0.time, fault: $0.text) }
    }
    if let end { rows.append(Row(time: rows.map(\.time).max() ?? .zero, fault: end)) }
    return rows.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(
      \.element)
  }

  /// For each arrival, the row of the call that has sent it.
  private func origins(_ rows: [Row]) -> [Int: Int] {
    var left = rows.map { $0.entry.map { Self.sending.contains($0.call) ? $0.result : 0 } ?? 0 }
    var origins: [Int: Int] = [:]
    for (index, row) in rows.enumerated() {
      guard let entry = row.entry, let sender = entry.sender, let sent = entry.sent else { continue }
      let same = rows.indices.filter { rows[$0].time == sent && rows[$0].entry?.host == sender }
      if let call = same.first(where: { left[$0] > 0 }) {
        left[call] -= entry.result
        origins[index] = call
      } else {
        origins[index] = same.last ?? rows.firstIndex { $0.time >= sent }
      }
    }
    return origins
  }

  /// A time with as many digits as a person compares.
  private func text(_ time: Duration) -> String {
    let microseconds = time / .microseconds(1)
    let digits = String(Int(microseconds.rounded()) % 1_000_000)
    return "\(time.components.seconds).\(String(repeating: "0", count: 6 - digits.count))\(digits) s"
  }

  private func text(_ entry: TraceEntry) -> String {
    let what = "\(entry.call)\(entry.descriptor.map { " \($0)" } ?? "")"
    if entry.result >= 0 { return "\(what) = \(entry.result)" }
    // libuv has no name for a connect that is under way.
    if entry.result == -115 { return "\(what): EINPROGRESS" }
    return "\(what): \(UVError.Code(rawValue: Int32(clamping: entry.result)).name)"
  }

  var html: String {
    let rows = rows
    let origins = origins(rows)
    var (arrows, body) = ("", "")
    for host in hosts {
      arrows += #"<line x1="\#(x(host))" y1="40" x2="\#(x(host))" y2="\#(y(rows.count))" class="lane"/>"#
      body += #"<text x="\#(x(host))" y="30" class="host">\#(escaped(host))</text>"#
    }
    var lastTime: Duration?
    for (index, row) in rows.enumerated() {
      let height = y(index)
      if row.time != lastTime {
        body += #"<text x="10" y="\#(height + 4)" class="time">\#(text(row.time))</text>"#
        lastTime = row.time
      }
      if let fault = row.fault {
        arrows +=
          #"<rect x="160" y="\#(height - 8)" width="\#(hosts.count * Self.laneWidth)" height="16" class="fault"/>"#
        body += #"<text x="166" y="\#(height + 4)" class="fault">\#(escaped(fault))</text>"#
      }
      guard let entry = row.entry else { continue }
      let (kind, what): (String, String)
      if let sender = entry.sender {
        if hosts.contains(sender), sender != entry.host, let origin = origins[index] {
          arrows +=
            #"<line x1="\#(x(sender))" y1="\#(y(origin))" x2="\#(x(entry.host))" y2="\#(height)" class="arrow"/>"#
        }
        let size = entry.result == 1 ? "1 byte" : "\(entry.result) bytes"
        (kind, what) = (
          "arrival", entry.result == 0 ? "the end arrives" : "\(size) arrive\(entry.result == 1 ? "s" : "")"
        )
      } else {
        let isFailure = entry.result < 0 && ![-11, -115].contains(entry.result)
        (kind, what) = (isFailure ? "error" : "call", text(entry))
      }
      body += #"<text x="\#(x(entry.host) + 8)" y="\#(height + 4)" class="\#(kind)">\#(escaped(what))</text>"#
    }
    let (width, height) = (210 + hosts.count * Self.laneWidth, y(rows.count) + 20)
    return """
      <!doctype html><meta charset="utf-8"><title>\(escaped(String(title.prefix(80))))</title>
      <style>
      body { font: 13px sans-serif; margin: 1em } pre { white-space: pre-wrap }
      svg { font: 11px monospace } .host { font-weight: bold; text-anchor: middle } .lane { stroke: #999 }
      text { paint-order: stroke; stroke: white; stroke-width: 4px } text.fault { stroke: #fdd }
      .time { fill: #888 } .call { fill: #444 } .error { fill: #c00; font-weight: bold } .arrival { fill: #06c }
      .arrow { stroke: #06c; marker-end: url(#head) } rect.fault { fill: #fdd } text.fault { fill: #c00; font-weight: bold }
      </style>
      <pre>\(escaped(title))</pre>
      <svg width="\(width)" height="\(height)"><defs><marker id="head" markerWidth="8" markerHeight="8" refX="8" refY="4"
      orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#06c"/></marker></defs>\(arrows)\(body)</svg>
      """
  }
}
