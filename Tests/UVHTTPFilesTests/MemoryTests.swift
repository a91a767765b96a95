#if Everything
import Testing
import UV
import UVHTTP
import UVTestSupport

@testable import UVHTTPFiles

/// What a loop remembers.
@Suite struct MemoryTests {
  private func resource(_ status: FileStatus, _ count: Int) -> Resource {
    let kind = Page.Kind(
      type: "text/plain", cacheControl: nil, varies: false, tagsAreWeak: false, largestInMemory: 1 << 20)
    let page = Page("/file", status, kind)
    page.keep(Bytes(repeating: 1, count: count))
    return Resource(page, [], at: .now)
  }

  @Test("Files take no more memory than the limit, and those that are asked for stay")
  func limit() async throws {
    try await withLoop { loop in
      let status = try await loop.files.stat("/").value
      var memory = PageMemory(limit: 100_000)
      for round in 0..<1000 {
        memory.remember("/\(round)", resource(status, 5000))
        if round % 4 == 0 { memory.remember("/kept", memory["/kept"] ?? resource(status, 5000)) }
        let kept = (0...round).filter { memory["/\($0)"] != nil }.count
        #expect(kept >= 1 && (kept + 1) * 6024 <= 100_000)
        #expect(memory["/kept"] != nil)
      }
      memory.forget("/kept")
      #expect(memory["/kept"] == nil)
    }
  }

  @Test("A file that is remembered again with more bytes counts once")
  func growth() async throws {
    try await withLoop { loop in
      let status = try await loop.files.stat("/").value
      var memory = PageMemory(limit: 20_000)
      let grown = resource(status, 0)
      for round in 0..<100 {
        if round == 50 { grown.plain.keep(Bytes(repeating: 1, count: 5000)) }
        memory.remember("/a", grown)
      }
      memory.remember("/b", resource(status, 1000))
      #expect(memory["/a"] === grown && memory["/b"] != nil)
    }
  }

  @Test("Without memory for it each file is read anew, and served all the same", arguments: [0, 3000])
  func without(memory: Int) async throws {
    var options = HTTPFilesOptions()
    (options.memory, options.largestInMemory) = (memory, 64 << 10)
    try await withFiles(options) { site in
      let text = String(repeating: "a", count: 5000)
      try site.write(text, to: "file")
      for _ in 0..<3 {
        #expect(try await site.ask("/file").text == text)
        #expect(try await site.ask("/hello.txt", .get, [.range: "bytes=1-2"]).text == "el")
      }
    }
  }

  @Test("A page that is in memory is sent without a job of the pool")
  func noJobs() async throws {
    try await withFiles { site in
      var text: String?
      // A file is remembered for a second, which a busy machine may need for other things.
      while text == nil {
        _ = try await site.ask("/hello.txt")
        try await withBusyPool(of: site.loop) {
          text = try? await site.loop.withDeadline(.milliseconds(500)) {
            try await site.ask("/hello.txt").text
          }
        }
      }
      #expect(text == "hello\n")
    }
  }
}
#endif
