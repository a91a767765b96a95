#if Everything
import HTTPTypes
import Testing
import UVTestSupport

@testable import UVHTTP

/// A jar is compared with a list of cookies in the order in which they were set.
@Suite struct CookieModelTests {
  private struct Entry {
    let name: String, domain: String
    var value: String
    var end: Int
  }

  /// The list: what is set again keeps its place, and the oldest goes first.
  private struct Model {
    var entries: [Entry] = []

    mutating func set(_ name: String, _ value: String, _ domain: String, end: Int, now: Int) {
      let index = entries.firstIndex { $0.name == name && $0.domain == domain }
      if end <= now {
        if let index { entries.remove(at: index) }
        return
      }
      if let index {
        (entries[index].value, entries[index].end) = (value, end)
      } else {
        entries.append(Entry(name: name, domain: domain, value: value, end: end))
      }
      func countOfDomain() -> Int { entries.count { $0.domain == domain } }
      if countOfDomain() > 50 { entries.removeAll { $0.domain == domain && $0.end <= now } }
      if countOfDomain() > 50 { entries.remove(at: entries.firstIndex { $0.domain == domain }!) }
      if entries.count > 3000 { entries.removeFirst() }
    }

    func names(_ now: Int) -> [String] {
      entries.filter { $0.end > now }.map { "\($0.domain) \($0.name)=\($0.value)" }
    }
  }

  private static func names(_ jar: HTTPCookieJar) -> [String] {
    jar.cookies.map { "\($0.domain) \($0.name)=\($0.value)" }
  }

  private static func take(_ jar: HTTPCookieJar, _ domain: String, _ field: String) {
    jar.take([.setCookie: field], for: HTTPRequest(url: "http://\(domain)/")!)
  }

  @Test("Whatever is set, ends and is removed, a jar has what the list has", arguments: 1...6)
  func model(seed: UInt64) {
    let (draws, jar) = (Draws(seed), HTTPCookieJar())
    var (model, now) = (Model(), 1_000_000)
    // Many domains with few cookies, or few with many.
    let (domains, names) = seed % 2 == 0 ? (4, 70) : (40, 4)
    jar.now = { HTTPDate(since1970: .seconds(now)) }
    for step in 0..<1200 {
      let domain = "d\(draws.draw(domains)).test"
      switch draws.draw(40) {
      case 0:
        jar.removeAll(ofDomain: draws.draw(2) == 0 ? domain : domain.uppercased())
        model.entries.removeAll { $0.domain == domain }
      case 1 where draws.draw(8) == 0:
        jar.removeAll()
        model.entries = []
      case 2, 3: now += draws.draw(20)
      default:
        let (name, age) = ("n\(draws.draw(names))", draws.draw(6) == 0 ? draws.draw(3) : draws.draw(1000))
        Self.take(jar, domain, "\(name)=\(step); Max-Age=\(age)")
        model.set(name, "\(step)", domain, end: now + age, now: now)
      }
      if step % 40 == 0 { #expect(Self.names(jar) == model.names(now), "step \(step)") }
    }
    #expect(Self.names(jar) == model.names(now))
    for number in 0..<domains {
      let field = jar.field(for: HTTPRequest(url: "http://d\(number).test/")!)
      let expected = model.entries.filter { $0.end > now && $0.domain == "d\(number).test" }
      #expect(
        field == (expected.isEmpty ? nil : expected.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")))
    }
  }

  enum Removal: CaseIterable, Sendable { case domain, all, ended, replaced }

  @Test(
    "What has been removed counts no longer towards the 3,000 cookies of a jar", arguments: Removal.allCases)
  func room(removal: Removal) {
    let jar = HTTPCookieJar()
    jar.now = { HTTPDate(since1970: .seconds(1_000_000)) }
    for round in 0..<70 {
      for number in 0..<50 {
        Self.take(jar, "a.test", "n\(number)=\(round)")
        if removal == .ended { Self.take(jar, "a.test", "n\(number)=; Max-Age=0") }
      }
      switch removal {
      case .domain: jar.removeAll(ofDomain: "a.test")
      case .all: jar.removeAll()
      case .ended, .replaced: break
      }
    }
    let left = removal == .replaced ? 50 : 0
    #expect(jar.cookies.count == left)
    for number in 0..<(3000 - left) { Self.take(jar, "h\(number / 50).test", "n\(number)=1") }
    #expect(jar.cookies.count == 3000)
    #expect(jar.field(for: HTTPRequest(url: "http://h0.test/")!)?.hasPrefix("n0=1; ") == true)
    Self.take(jar, "one.test", "more=1")
    #expect(jar.cookies.count == 3000 && jar.cookies.last?.name == "more")
    #expect(jar.cookies.first?.name == "n1")
  }
}
#endif
