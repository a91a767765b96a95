import Testing

@testable import BenchHarness

/// What is said of a file that is not what it should be, by every command that reads one.
@Suite struct ResultsFileTests {
  @Test(arguments: [
    (#"{"schema": 99}"#, "has form 99; this program reads up to 1"),
    (#"{"schema": 1}"#, "has no `"), (#"{"results": nonsense}"#, "is not JSON;"),
    ("", "is not JSON;"),
    ("[1, 2]", "holds no object"), (#"{"schema": "one"}"#, "has something else than it must in `schema`"),
  ])
  func whatIsWrongIsSaid(text: String, complaint: String) throws {
    try Products.withDirectory { directory in
      let file = "\(directory)/b.json"
      for command in ["compare \(file) \(file)", "report \(file)", "report --targets \(file)"] {
        let output = try Products.shell("echo '\(text)' > \(file); $UVBENCH \(command)")
        #expect(output.code == 2 && output.text.contains("\(file) \(complaint)"), "\(output.text)")
      }
    }
  }

  @Test func aGateThatFailedIsCalledThatAndNotAFileOfSomethingElse() throws {
    try Products.withDirectory { directory in
      let output = try Products.shell(
        """
        cd \(directory); $EXAMPLE gate --command true --command 'exit 4' --json g.json --junit g.xml >log
        cat g.xml; $EXAMPLE history g.json
        """)
      #expect(
        output.code == 2
          && output.text.contains("g.json is the report of a gate that wasn't finished: `exit 4` ended"),
        "\(output.text)")
      // It took some time to fail.
      #expect(output.text.contains(#/name="not finished" time="\d+\.\d*[1-9]\d*"/#), "\(output.text)")
    }
  }

  @Test func aFileOfARunWithoutAPartNamesIt() throws {
    try Products.withDirectory { directory in
      let made = try Products.shell(
        """
        cd \(directory) && $EXAMPLE run -p size=16 --rounds 1 --duration 0.01 --json whole.json > run.txt
        sed 's/"results"/"rows"/' whole.json > none.json; sed 's/"style"/"manner"/' whole.json > style.json
        """)
      #expect(made.code == 0, "\(made.text)")
      for (name, missing) in [("none", "results"), ("style", "results[0].style")] {
        let output = try Products.shell("cd \(directory) && $EXAMPLE report \(name).json")
        #expect(
          output.code == 2 && output.text.contains("\(name).json has no `\(missing)`"), "\(output.text)")
      }
      // A page that was written is named; what goes to a stream is that and nothing else.
      let page = try Products.shell("cd \(directory) && $EXAMPLE report whole.json -o page.html")
      #expect(page.code == 0 && page.lines == ["wrote page.html: 1 run, 2 rows"], "\(page.text)")
    }
  }
}
