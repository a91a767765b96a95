import Testing

@testable import BenchHarness

/// `gate` as one meets it in a shell, against other builds.
@Suite struct GateCommandTests {
  @Test func programsWithOtherWorkAreNotComparable() throws {
    let output = try Products.shell("$EXAMPLE gate --base-bin $UVBENCH -p size=64 -s c")
    #expect(output.code == 4, "\(output.text)")
  }

  /// A merge base is built for real: that of a repository with a small program in it.
  @Test func theMergeBaseIsBuiltAndAsked() throws {
    try Products.withDirectory { directory in
      let made = try Products.shell(
        """
        cd \(directory) && export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t
        git init -q . && mkdir -p Sources/bench-example && echo .build > .gitignore
        cat > Package.swift <<'END'
        // swift-tools-version: 6.0
        import PackageDescription
        let package = Package(name: "p", targets: [.executableTarget(name: "bench-example")])
        END
        cat > Sources/bench-example/main.c <<'END'
        #include <stdio.h>
        int main(void) { puts("{\\"libraries\\":{},\\"protocol\\":0}"); fflush(stdout); return getchar() == 1; }
        END
        git add . && git commit -qm base && git commit -qm head --allow-empty
        """)
      #expect(made.code == 0, "\(made.text)")
      let gate = "cd \(directory) && $EXAMPLE gate --against HEAD~1 -p size=16"
      let older = try Products.shell(gate + " && exit")
      #expect(older.code == 4, "\(older.text)")
      #expect(older.text.contains("speaks version 0 of the workers' protocol"), "\(older.text)")
      // What was built is used again, and what was left half done is not.
      let again = try Products.shell(
        "rm \(directory)/.build/gate/*/Package.swift; \(gate) && exit")
      #expect(again.code == 4 && again.text.contains("worktree add"), "\(again.text)")
      let kept = try Products.shell(gate)
      #expect(kept.code == 4 && !kept.text.contains("worktree add"), "\(kept.text)")
      let broken = try Products.shell(
        "cd \(directory) && echo nonsense > Sources/bench-example/main.c && git -c user.name=t -c user.email=t@t"
          + " commit -qam broken && $EXAMPLE gate --against HEAD -p size=16")
      #expect(broken.code == 2 && broken.text.contains("ended with code"), "\(broken.text)")
      // A base that does what this program does: measured to the end, whatever comes out.
      let whole = try Products.shell(
        """
        cd \(directory) && cat > Sources/bench-example/main.c <<'END'
        #include <stdlib.h>
        #include <unistd.h>
        int main(int count, char **words) { return execv(getenv("EXAMPLE"), words); }
        END
        git -c user.name=t -c user.email=t@t commit -qam same
        $EXAMPLE gate --against HEAD -p size=16 -s c --time-budget 9 --json gate.json --markdown gate.md --junit gate.xml
        """)
      try expectConsistency(whole, directory, base: 12)
    }
  }

  @Test(arguments: [
    " --time-budget 9", " --time-budget 9 --inject 100", " --time-budget 0.001",
    " --time-budget 0.001 --strict",
  ])
  func theVerdictOnTimesIsTheSameInEveryForm(option: String) throws {
    try Products.withDirectory { directory in
      let output = try Products.shell(
        "cd \(directory) && cp $EXAMPLE old && $EXAMPLE gate --base-bin old -p size=16 -s c --json gate.json"
          + " --markdown gate.md --junit gate.xml\(option)")
      try expectConsistency(output, directory, base: 3)
      if option.contains("0.001") { #expect(output.code == (option.contains("strict") ? 5 : 0)) }
    }
  }

  /// What the gate said, wrote and ended with agree; how long anything took is of no concern.
  private func expectConsistency(_ output: Products.Output, _ directory: String, base: Int) throws {
    let report = try LineJSON.value(
      GateReport.self, try Products.shell("cat \(directory)/gate.json").text)
    #expect(report.exit == output.code && report.base["times"]?.count == base, "\(output.text)")
    let row = try #require(report.times.first)
    #expect(report.times.count == 1 && output.text.contains("\(row.outcome.rawValue)"), "\(output.text)")
    #expect((row.outcome == .regressed) == (output.code == 1), "\(output.text)")
    #expect(row.reason != nil || row.cpu?.pairs.count == 3)
    #expect(try Products.shell("grep -c '^| .\(row.id)' \(directory)/gate.md").lines == ["1"])
    #expect(try Products.shell("grep -c '<testcase' \(directory)/gate.xml").lines == ["1"])
  }
}

/// What the gate says when it cannot finish, and of itself.
@Suite struct GateReportTests {
  @Test(arguments: [
    ("--counts --baselines nobase", 4, "no baseline for these versions"),
    ("--base-bin /bin/true -p size=16 -s c", 2, "did not greet"),
    ("--against no-such-revision", 2, "has no merge base"),
  ])
  func theFilesSayWhyItCouldNotBeFinished(options: String, code: Int32, reason: String) throws {
    try Products.withDirectory { directory in
      let output = try Products.shell(
        "cd \(directory) && git init -q . && $EXAMPLE gate \(options) --json g.json --markdown g.md"
          + " --junit g.xml")
      #expect(output.code == code && output.text.contains(reason), "\(output.text)")
      let report = try LineJSON.value(
        GateReport.self, try Products.shell("cat \(directory)/g.json").text)
      #expect(report.exit == code && report.reason?.contains(reason) == true)
      let markdown = try Products.shell("cat \(directory)/g.md").text
      #expect(markdown.contains("failed, code \(code)") && markdown.contains(reason), "\(markdown)")
      let junit = try Products.shell("cat \(directory)/g.xml").text
      #expect(junit.contains("failures=\"1\"") && junit.contains(reason), "\(junit)")
    }
  }

  @Test func theCommandsOfAReportChooseTheSame() throws {
    try Products.withDirectory { directory in
      let gate = "cd \(directory) && $EXAMPLE gate --counts --baselines 'my base' -w 'hash*' --size 16 -s c"
      #expect(try Products.shell("mkdir '\(directory)/my base'; \(gate) --update").code == 0)
      let same = try Products.shell("\(gate) --markdown g.md")
      let file = try Products.shell("ls '\(directory)/my base'").text
      #expect(same.code == 0 && same.lines.contains("counts: 1 row as in my base/\(file)"), "\(same.text)")
      let markdown = try Products.shell("cat \(directory)/g.md").text
      let again = "gate --counts --baselines 'my base' -w 'hash*' -s c --size 16`"
      #expect(markdown.contains("Again: `bench-example \(again)"), "\(markdown)")
      #expect(markdown.contains("Counted: 1 row, unchanged: 1."), "\(markdown)")
      let worse = try Products.shell("\(gate) --inject-alloc")
      let update = "`bench-example gate --counts --update --baselines 'my base' -w 'hash*' -s c --size 16`"
      #expect(worse.code == 1 && worse.text.contains("if that is intended: \(update)"), "\(worse.text)")
    }
  }

  @Test func theHelpShowsTheOptions() throws {
    let help = try Products.shell("$UVBENCH gate --help")
    for option in ["--counts", "--against", "--base-bin", "--update", "--markdown", "--strict"] {
      #expect(help.code == 0 && help.lines.contains { $0.hasPrefix("  \(option)") }, "\(help.text)")
    }
    for command in ["gate selftest --help", "help gate selftest"] {
      let help = try Products.shell("$UVBENCH \(command)")
      #expect(help.code == 0 && help.text.contains("--minutes"), "\(help.text)")
    }
  }
}
