import Foundation
import Testing

/// What the README and the articles show is what a reader can build and run.
@Suite struct DocumentationTests {
  @Test func everyBlockOfCodeCompilesAndThoseThatEndRun() throws {
    let products = try Checkout.program("").path
    let (output, status) = try runProgram(
      Checkout.root.appendingPathComponent("Tests/Suites/blocks"),
      ["--package", "root", "--products", products])
    #expect(status == 0, "\(output)")
  }

  @Test func theReadmeIsReadInOneSitting() throws {
    let readme = try String(contentsOf: Checkout.root.appendingPathComponent("README.md"), encoding: .utf8)
    #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 201)
  }

  /// A reader on a web page of the repository follows these.
  @Test func theLinksOfTheReadmeLeadToFiles() throws {
    let readme = try String(contentsOf: Checkout.root.appendingPathComponent("README.md"), encoding: .utf8)
    let links = readme.matches(of: /\]\((?<path>[^)#:]+)\)/).map { String($0.output.path) }
    #expect(links.count > 10)
    for link in links {
      let file = Checkout.root.appendingPathComponent(link).path
      #expect(FileManager.default.fileExists(atPath: file), "\(link)")
    }
  }

  @Test func `A type says once whose names it has: no member's documentation only repeats its name`() throws {
    // The last line of documentation, and the member that follows.
    let repetition =
      #/
      /// \ (?:Combine|PromiseKit|RxStream)'s\ `(?:\w+\.)*(?<name>\w+)(?:\(\S*\))?`\.\n
      (?:\s*@\w+(?:\([^)]*\))?\n)*
      \s*public\ (?:\w+\ )*?(?:func|var|let)\ (?<member>\w+)
      /#
    let files = Checkout.sources("Sources")
    #expect(!files.isEmpty)
    for file in files {
      for match in try String(contentsOf: file, encoding: .utf8).matches(of: repetition) {
        #expect(match.output.name != match.output.member, "\(file.lastPathComponent)")
      }
    }
  }

  @Test func `The oldest libuv is that of the header, and one page says which it is`() throws {
    func text(_ path: String) throws -> String {
      try String(contentsOf: Checkout.root.appendingPathComponent(path), encoding: .utf8)
    }
    let header = try text("CModules/CUV/cuv.h")
    let minor = try #require(header.firstMatch(of: /#define CUV_OLDEST_MINOR (\d+)/)).1
    #expect(try text("Sources/UV/UV.docc/Stability.md").contains("- libuv: from 1.\(minor), "))
    for page in ["README.md", "Sources/UV/UV.docc/GettingStarted.md", "Sources/Hosts/C/README.md"] {
      let page = try text(page)
      #expect(page.contains("Stability") && !page.contains("1.\(minor) or later"))
    }
  }

  @Test func theIndexOfDecisionsNamesEachPageOnceWithItsTitle() throws {
    let folder = Checkout.root.appendingPathComponent("Design")
    let index = try String(contentsOf: folder.appendingPathComponent("README.md"), encoding: .utf8)
    let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("00") }
    #expect(pages.count > 50)
    for page in pages {
      let text = try String(contentsOf: folder.appendingPathComponent(page), encoding: .utf8)
      let heading = text.firstMatch(of: /^# (?<number>\d+)\. (?<title>.+)\n/)
      let title = try #require(heading, "\(page) has no title")
      let row = "| \(title.output.number) | [\(title.output.title)](\(page)) | "
      #expect(index.components(separatedBy: row).count == 2, "Design/README.md needs one row: \(row)")
    }
  }
}
