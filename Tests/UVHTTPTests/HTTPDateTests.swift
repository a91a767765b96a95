#if Everything
import Foundation
import Testing

@testable import UVHTTP

@Suite struct HTTPDateTests {
  @Test(
    "A time is written and read as RFC 9110, 5.6.7 says",
    arguments: [
      (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
      (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
      (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ])
  func today(seconds: Int, text: String) {
    let date = HTTPDate(since1970: .seconds(seconds) + .milliseconds(999))
    #expect(date.secondsSince1970 == seconds)
    #expect("\(date)" == text)
    #expect(HTTPDate(text) == date)
  }

  @Test(
    "The two forms of older programs are read",
    arguments: [
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777), ("Sun Nov  6 08:49:37 1994", 784_111_777),
      ("Tuesday, 29-Feb-00 00:00:00 GMT", 951_782_400), ("Sun Nov 16 08:49:37 1994", nil),
      ("Wed Nov 16 08:49:37 1994", 784_975_777),
    ])
  func older(text: String, seconds: Int?) { #expect(HTTPDate(text)?.secondsSince1970 == seconds) }

  @Test(
    "A year of two digits is at most 50 years ahead, and at most 49 back",
    arguments: [1970, 1997, 2026, 2049, 2050, 2060, 2099, 2100])
  func century(thisYear: Int) {
    for digits in 0..<100 {
      let year = HTTPDate.year(endingIn: digits, thisYear: thisYear)
      #expect(year % 100 == digits && thisYear - 49...thisYear + 50 ~= year, "\(digits)")
    }
  }

  @Test("It is counted from the year in which it is read", arguments: [50, -49])
  func thisCentury(years: Int) throws {
    let today = "\(HTTPDate(since1970: .seconds(Date.now.timeIntervalSince1970)))".split(separator: " ")
    let year = try #require(Int(today[3])) + years
    func text(_ day: String) -> String { "\(day.prefix(3)), 15 Jun \(year) 00:00:00 GMT" }
    let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    let day = try #require(days.first { HTTPDate(text($0)) != nil })
    #expect(HTTPDate("\(day), 15-Jun-\("\(year)".suffix(2)) 00:00:00 GMT") == HTTPDate(text(day)))
  }

  @Test(
    "What is no time is none",
    arguments: [
      "", "yesterday", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "784111777",
      "Thu, 31 Feb 1994 08:49:37 GMT", "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
      "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
      "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
      "Sun, 06 Nov 1994 08::37 GMT", "Thu, 01 Jan 1969 00:00:00 GMT", "Sun, 06 Nov 1994 08:49:37 GMT GMT",
      "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
    ])
  func none(text: String) { #expect(HTTPDate(text) == nil) }

  @Test("A time out of range becomes the nearest one, and times are in order")
  func range() {
    #expect(HTTPDate(since1970: .seconds(-1)).secondsSince1970 == 0)
    #expect(HTTPDate(since1970: .seconds(Int64.max)).secondsSince1970 == 253_402_300_799)
    #expect(HTTPDate(since1970: .seconds(1)) < HTTPDate(since1970: .seconds(2)))
  }
}
#endif
