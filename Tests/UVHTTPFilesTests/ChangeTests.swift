#if Everything
import CTestHooks
import Foundation
import Testing
import UVHTTPFiles
import UVTestSupport

/// Files that change, and answers that come to nothing.
@Suite(.serialized) struct ChangeTests {
  @Test(
    "A file that changes is served anew within a moment, and one that is gone isn't", arguments: [6, 100_000])
  func changes(size: Int) async throws {
    try await withFiles { site in
      let (first, second) = (String(repeating: "a", count: size), String(repeating: "b", count: size + 1))
      try site.write(first, to: "file")
      let tag = try await site.ask("/file").fields[.eTag]
      try site.write(second, to: "file")
      var answer = try await site.ask("/file")
      while answer.text != second {
        #expect(answer.text == first && answer.fields[.eTag] == tag)
        answer = try await site.ask("/file")
      }
      #expect(answer.fields[.eTag] != tag)
      try FileManager.default.removeItem(atPath: "\(site.root)/file")
      while try await site.status("/file") != 404 {}
    }
  }

  @Test("A large file that changes is never sent under the tag that it had")
  func largeFile() async throws {
    try await withFiles { site in
      var tags: [String: Character] = [:]
      for letter in "abcdefgh" {
        // In place, as a program does that writes into the file.
        try await site.loop.files.writeFile(
          "\(site.root)/file", Bytes(repeating: letter.asciiValue!, count: 100_000)
        )
        .value
        let answer = try await site.ask("/file")
        #expect(answer.text.first == letter && answer.text.utf8.count == 100_000)
        #expect(tags.updateValue(letter, forKey: try #require(answer.fields[.eTag])) == nil)
      }
    }
  }

  @Test("Clients that ask for a large file at one time share a descriptor, which is closed after them")
  func shared() async throws {
    try await withFiles { site in
      try await site.loop.files.writeFile("\(site.root)/file", Bytes(repeating: 97, count: 32 << 20)).value
      func count() -> Int { openDescriptors().values.filter { $0.hasSuffix("/root/file") }.count }
      var connections: [TCPConnection] = []
      for _ in 0..<10 { connections.append(try await site.connect()) }
      for connection in connections {
        try await connection.write("GET /file HTTP/1.1\r\nHost: a\r\n\r\n").value
      }
      for connection in connections {
        #expect(try await connection.read(until: "\r\n\r\n", limit: 1000).value != nil)
      }
      #expect(count() == 1)
      for connection in connections { connection.close() }
      try await site.loop.until { count() == 0 }
    }
  }

  @Test("A large file that has become a link or a folder is answered as what it is, at once")
  func becomes() async throws {
    try await withFiles { site in
      let manager = FileManager.default
      for name in ["link", "folder", "other"] {
        try site.write(String(repeating: "a", count: 100_000), to: name)
        #expect(try await site.status("/\(name)") == 200)
      }
      for name in ["link", "folder"] { try manager.removeItem(atPath: "\(site.root)/\(name)") }
      try site.link("link", to: "other")
      try site.write("x", to: "folder/page")
      #expect(try await site.ask("/link").text.utf8.count == 100_000)
      #expect(try await site.status("/folder") == 301)
    }
  }

  @Test("A new version of the site takes the place of the old one by a link")
  func rootLink() async throws {
    try await withLoopAndDirectory { loop, directory in
      let manager = FileManager.default
      for name in ["one", "two"] {
        try manager.createDirectory(atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
        for file in ["file", "file2"] {
          try Data(name.utf8).write(to: URL(fileURLWithPath: "\(directory)/\(name)/\(file)"))
        }
      }
      try manager.createSymbolicLink(atPath: "\(directory)/root", withDestinationPath: "one")
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let files = HTTPFiles(at: FilePath("\(directory)/root"), on: loop)
      let serving = loop.spawn { () async throws in
        for try await exchange in server { files.respond(to: exchange) { _ in } }
      }
      let client = HTTPClient(loop)
      let url = "http://127.0.0.1:\(try server.localAddress().port)/file"
      func ask() async throws -> (Int, String) {
        let answer = try await client.send(try #require(HTTPRequest(method: .get, url: url))).value
        return (answer.status.code, "\(try await answer.body.readToEnd(limit: 1000).value)")
      }
      #expect(try await ask() == (200, "one"))
      try manager.createSymbolicLink(atPath: "\(directory)/new", withDestinationPath: "two")
      try await loop.files.rename("\(directory)/new", to: "\(directory)/root").value
      // The old one may be removed at once: no client hears that there is no such file.
      try manager.removeItem(atPath: "\(directory)/one")
      let late = try await client.send(try #require(HTTPRequest(method: .get, url: url + "2"))).value
      #expect(late.status == .ok)
      _ = try await late.body.readToEnd(limit: 1000).value
      while try await ask() != (200, "two") {}
      // Without a root the fault is the server's.
      try manager.removeItem(atPath: "\(directory)/root")
      while try await ask().0 != 500 {}
      try await client.close().value
      server.close()
      try await serving.value
    }
  }

  @Test("If a file becomes shorter while it is sent, the connection breaks off, and nothing is left")
  func shorter() async throws {
    let outcomes = Log<UVError.Code?>()
    try await withFiles(answer: { files, exchange in
      outcomes.append(await code { () async throws(UVError) in try await files.respond(to: exchange).value })
    }) { site in
      let size = 64 << 20
      try await site.loop.files.writeFile("\(site.root)/file", Bytes(repeating: 97, count: size)).value
      let connection = try await site.connect()
      try await connection.write("GET /file HTTP/1.1\r\nHost: a\r\n\r\n").value
      let head = try #require(try await connection.read(until: "\r\n\r\n", limit: 1000).value)
      #expect("\(head)".contains("content-length: \(size)"))
      let file = try await site.loop.files.open("\(site.root)/file", .readWrite).value
      try await file.truncate(to: 1000).value
      try await file.close().value
      var count = 0
      let code = await code { () async throws(UVError) in
        while let part = try await connection.next().value { count += part.count }
      }
      #expect(code == nil || code == .connectionReset)
      #expect(count < size)
      connection.close()
      try await site.loop.until { !outcomes.values.isEmpty }
      #expect(outcomes.values == [.endOfFile])
    }
  }

  @Test("A client that goes, and an answer that is cancelled, leave no file open", arguments: [false, true])
  func cutOff(isCancelled: Bool) async throws {
    let outcomes = Log<UVError.Code?>()
    let pending = Box<PendingRequest>(nil)
    try await withFiles(answer: { files, exchange in
      pending.value = files.respond(to: exchange) { outcomes.append($0.error?.code) }
    }) { site in
      let size = 64 << 20
      try await site.loop.files.writeFile("\(site.root)/file", Bytes(repeating: 97, count: size)).value
      for path in ["/file", "/none"] {
        let connection = try await site.connect()
        // The pool has no thread, so that the file hasn't been looked at.
        try await withBusyPool(of: site.loop) {
          try await connection.write(Bytes("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")).value
          try await site.loop.until { pending.value != nil }
          if isCancelled {
            pending.value?.cancel()
            let text = try await connection.read(until: "\r\n", limit: 1000).value
            // The exchange has no answer yet, and the program lets go of it.
            #expect(text.map { "\($0)" } == "HTTP/1.1 500 Internal Server Error")
          }
          connection.close()
        }
        pending.value = nil
        try await site.loop.until { outcomes.values.count == (path == "/file" ? 1 : 2) }
      }
      let connection = try await site.connect()
      try await connection.write("GET /file HTTP/1.1\r\nHost: a\r\n\r\n").value
      _ = try await connection.read(until: "\r\n\r\n", limit: 1000).value
      if isCancelled { pending.value?.cancel() }
      if !isCancelled { connection.close() }
      try await site.loop.until { outcomes.values.count == 3 }
      connection.close()
      pending.value = nil
      #expect(!outcomes.values.contains(nil) || !isCancelled)
      #expect(outcomes.values.last != .some(nil))
      if isCancelled { #expect(outcomes.values.allSatisfy { $0 == .cancelled }) }
    }
  }

  @Test(
    "Without a descriptor for the file a client is to come again", .enabled(if: test_faults_reach(1) != 0),
    arguments: ["open", "realpath"])
  func tooManyOpenFiles(function: String) async throws {
    try await withFiles { site in
      try site.write(String(repeating: "a", count: 100_000), to: "large")
      for path in ["/hello.txt", "/large"] {
        #expect(try await site.status(path, .head) == 200)
        // The connection is there already.
        test_faults_arm(EMFILE, 1, 1, .max, function)
        let answer = try await site.ask(path)
        if test_faults_disarm() > 0 {
          #expect(answer.status == 503 && answer.fields[.retryAfter] == "1")
        }
        #expect(try await site.status(path) == 200)
      }
    }
  }

  @Test("A file that this process may not read is forbidden", .enabled(if: getuid() != 0))
  func forbidden() async throws {
    try await withFiles { site in
      try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: "\(site.root)/hello.txt")
      #expect(try await site.status("/hello.txt") == 403)
    }
  }

  @Test("A pipe and a socket aren't files, and nobody waits for their other ends")
  func otherKinds() async throws {
    try await withFiles { site in
      #expect(mkfifo("\(site.root)/pipe", 0o600) == 0)
      let listener = try site.loop.pipes.listen(path: "\(site.root)/socket")
      for path in ["/pipe", "/socket"] { #expect(try await site.status(path) == 404) }
      listener.close()
    }
  }
}
#endif
