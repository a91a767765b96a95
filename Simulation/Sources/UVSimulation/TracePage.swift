import Glibc

extension SimulationError {
  /// A page of HTML that shows the end of the failing run to a person: each host is a lane, what was sent is
  /// an arrow, and what was done to the world is marked.
  public var page: String {
    TracePage(title: description, hosts: hosts, entries: trace, faults: faults).html
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

  private static let laneWidth = 240
  private static let rowHeight = 18

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
    170 + (hosts.firstIndex(of: host) ?? 0) * Self.laneWidth
  }

  /// The calls that say something: not those by which a loop only looks.
  private var shown: [TraceEntry] {
    let quiet: Set<String> = [
      "epoll_ctl", "epoll_wait", "fcntl", "getsockopt", "setsockopt", "step", "nanosleep", "begin",
    ]
    return entries.filter { !quiet.contains($0.call) && hosts.contains($0.host) }
  }

  var html: String {
    let rows = shown
    // The rows of the page, in time: calls and what was done to the world.
    var lines: [(time: Duration, entry: TraceEntry?, fault: String?)] = rows.map { ($0.time, $0, nil) }
    if let first = rows.first?.time {
      lines += faults.filter { $0.time >= first }.map { ($0.time, nil, $0.text) }
    }
    lines = lines.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(
      \.element)
    func y(_ index: Int) -> Int { 60 + index * Self.rowHeight }
    /// Where the line of a moment is.
    func place(of time: Duration) -> Int { y(lines.firstIndex { $0.time >= time } ?? lines.count) }
    var body = ""
    for host in hosts {
      body += #"<line x1="\#(x(host))" y1="40" x2="\#(x(host))" y2="\#(y(lines.count))" class="lane"/>"#
      body += #"<text x="\#(x(host))" y="30" class="host">\#(escaped(host))</text>"#
    }
    var lastTime: Duration?
    for (index, line) in lines.enumerated() {
      let height = y(index)
      if line.time != lastTime {
        body += #"<text x="10" y="\#(height + 4)" class="time">\#(escaped("\(line.time)"))</text>"#
        lastTime = line.time
      }
      if let fault = line.fault {
        body +=
          #"<rect x="160" y="\#(height - 8)" width="\#(hosts.count * Self.laneWidth)" height="16" class="fault"/>"#
        body += #"<text x="166" y="\#(height + 4)" class="fault">\#(escaped(fault))</text>"#
      }
      guard let entry = line.entry else { continue }
      if let sender = entry.sender, let sent = entry.sent {
        if hosts.contains(sender), sender != entry.host {
          body +=
            #"<line x1="\#(x(sender))" y1="\#(place(of: sent))" x2="\#(x(entry.host))" y2="\#(height)" class="arrow"/>"#
        }
        let what = entry.result == 0 ? "end" : "\(entry.result) bytes"
        body += #"<text x="\#(x(entry.host) + 8)" y="\#(height + 4)" class="arrival">\#(what)</text>"#
      } else {
        let failed = entry.result < 0 && entry.result != -11 && entry.result != -115
        let text = "\(entry.call)\(entry.descriptor.map { " \($0)" } ?? "") = \(entry.result)"
        body +=
          #"<text x="\#(x(entry.host) + 8)" y="\#(height + 4)" class="\#(failed ? "error" : "call")">\#(escaped(text))</text>"#
      }
    }
    let (width, height) = (190 + hosts.count * Self.laneWidth, y(lines.count) + 20)
    return """
      <!doctype html><meta charset="utf-8"><title>\(escaped(String(title.prefix(80))))</title>
      <style>
      body { font: 13px sans-serif; margin: 1em } pre { white-space: pre-wrap }
      svg { font: 11px monospace } .host { font-weight: bold; text-anchor: middle } .lane { stroke: #999 }
      .time { fill: #888 } .call { fill: #444 } .error { fill: #c00; font-weight: bold } .arrival { fill: #06c }
      .arrow { stroke: #06c; marker-end: url(#head) } rect.fault { fill: #fdd } text.fault { fill: #c00; font-weight: bold }
      </style>
      <pre>\(escaped(title))</pre>
      <svg width="\(width)" height="\(height)"><defs><marker id="head" markerWidth="8" markerHeight="8" refX="8" refY="4"
      orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#06c"/></marker></defs>\(body)</svg>
      """
  }
}
