#if Everything
import Testing
import UVHTTP
import UVTestSupport

@testable import UVHTTPFiles

/// What a client says of the versions that it knows (RFC 9110, 13).
@Suite struct ConditionTests {
  private static let tag = EntityTag(isWeak: false, opaque: "\"a,b\"")
  private static let weak = EntityTag(isWeak: true, opaque: "\"a,b\"")
  private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
  private static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
  private static let after = "Sun, 06 Nov 1994 08:49:38 GMT"

  private func outcome(_ fields: HTTPFields, _ tag: EntityTag? = tag) -> Conditions.Outcome {
    Conditions(tag: tag, modified: HTTPDate(Self.date)).outcome(fields)
  }

  @Test func `If-Match holds for one of its tags, compared strongly, or for any file`() {
    for field in [#""a,b""#, #""x", "a,b""#, #"W/"a,b" , "a,b""#, "*"] {
      #expect(outcome([.ifMatch: field]) == .proceed)
    }
    for field in [#""x""#, #"W/"a,b""#, #""a""#, "a,b", "", #""a,b"#] {
      #expect(outcome([.ifMatch: field]) == .failed)
    }
    #expect(outcome([.ifMatch: "\(Self.weak)"], Self.weak) == .failed)
    #expect(outcome([.ifMatch: "*"], nil) == .proceed && outcome([.ifMatch: "\"a\""], nil) == .failed)
  }

  @Test func `If-Unmodified-Since fails for a file that is younger`() {
    #expect(outcome([.ifUnmodifiedSince: Self.before]) == .failed)
    for field in [Self.date, Self.after, "yesterday"] {
      #expect(outcome([.ifUnmodifiedSince: field]) == .proceed)
    }
  }

  @Test func `If-None-Match is for a client that has the file, compared weakly`() {
    for field in [#""a,b""#, #"W/"a,b""#, #""x", W/"a,b""#, "*"] {
      #expect(outcome([.ifNoneMatch: field]) == .notModified)
      #expect(outcome([.ifNoneMatch: field], Self.weak) == .notModified)
    }
    for field in [#""x""#, #""a", "b""#, "a,b"] { #expect(outcome([.ifNoneMatch: field]) == .proceed) }
  }

  @Test func `If-Modified-Since is for a client that has the file as of this time or a later one`() {
    for field in [Self.date, Self.after] { #expect(outcome([.ifModifiedSince: field]) == .notModified) }
    for field in [Self.before, "yesterday"] { #expect(outcome([.ifModifiedSince: field]) == .proceed) }
  }

  @Test func `A tag counts more than a time, and a requirement more than what the client has`() {
    // In the order of RFC 9110, 13.2.2.
    #expect(outcome([.ifMatch: "*", .ifUnmodifiedSince: Self.before]) == .proceed)
    #expect(outcome([.ifNoneMatch: "\"x\"", .ifModifiedSince: Self.date]) == .proceed)
    #expect(outcome([.ifNoneMatch: "\(Self.tag)", .ifModifiedSince: Self.before]) == .notModified)
    #expect(outcome([.ifMatch: "\"x\"", .ifNoneMatch: "*"]) == .failed)
    #expect(outcome([.ifUnmodifiedSince: Self.before, .ifNoneMatch: "*"]) == .failed)
    #expect(outcome([.ifMatch: "*", .ifNoneMatch: "*"]) == .notModified)
  }

  @Test func `If-Range lets parts through for the same bytes alone: a strong tag, or the very time`() {
    func allow(_ field: String, _ tag: EntityTag = Self.tag) -> Bool {
      Conditions(tag: tag, modified: HTTPDate(Self.date)).allowRanges([.ifRange: field])
    }
    #expect(allow("\(Self.tag)") && allow(Self.date))
    for field in [#""x""#, #"W/"a,b""#, #""a,b", "c""#, "*", Self.before, Self.after, "x"] {
      #expect(!allow(field))
    }
    #expect(!allow("\(Self.weak)", Self.weak))
    #expect(Conditions(tag: nil, modified: nil).allowRanges([:]))
  }

  @Test("A server answers 412 to a requirement that fails, 304 to who has the file, and to others the file")
  func answers() async throws {
    try await withFiles { site in
      try site.date("hello.txt", 784_111_777)
      let first = try await site.ask("/hello.txt")
      let tag = try #require(first.fields[.eTag])
      #expect(first.fields[.lastModified] == Self.date)
      let table: [(HTTPFields, Int)] = [
        ([.ifMatch: tag], 200), ([.ifMatch: "\"x\""], 412), ([.ifMatch: "W/\(tag)"], 412),
        ([.ifUnmodifiedSince: Self.before], 412), ([.ifUnmodifiedSince: Self.date], 200),
        ([.ifNoneMatch: tag], 304), ([.ifNoneMatch: "\"x\", W/\(tag)"], 304), ([.ifNoneMatch: "\"x\""], 200),
        ([.ifModifiedSince: Self.date], 304), ([.ifModifiedSince: Self.before], 200),
        ([.ifRange: tag, .range: "bytes=0-1"], 206), ([.ifRange: Self.date, .range: "bytes=0-1"], 206),
        ([.ifRange: "\"x\"", .range: "bytes=0-1"], 200), ([.ifNoneMatch: tag, .range: "bytes=0-1"], 304),
        ([.ifMatch: "\"x\"", .range: "bytes=9-"], 412),
      ]
      for (fields, status) in table {
        for method in [HTTPRequest.Method.get, .head] where method == .get || fields[.range] == nil {
          let answer = try await site.ask("/hello.txt", method, fields)
          #expect(answer.status == status, "\(method) \(fields)")
          if status == 304 { #expect(answer.fields[.eTag] == tag && answer.fields[.contentType] == nil) }
        }
        // They mean nothing to an answer that isn't the file's.
        #expect(try await site.status("/none", .get, fields) == 404)
        #expect(try await site.status("/hello.txt", .post, fields) == 405)
      }
    }
  }

  @Test("A weak tag is said to be so, and doesn't let a download go on")
  func weak() async throws {
    var options = HTTPFilesOptions()
    options.tagsAreWeak = true
    try await withFiles(options) { site in
      let tag = try #require(try await site.ask("/hello.txt").fields[.eTag])
      #expect(tag.hasPrefix("W/\""))
      #expect(try await site.status("/hello.txt", .get, [.ifNoneMatch: tag]) == 304)
      #expect(try await site.status("/hello.txt", .get, [.ifRange: tag, .range: "bytes=0-1"]) == 200)
    }
  }
}
#endif
