import Testing

@testable import BenchHarness

/// The page that leads from nothing to a red pull request.
@Suite struct RegressionPageTests {
  private static let hasNode = (try? Products.shell("node --version && git --version"))?.code == 0

  #if os(Linux)
    @Test(.enabled(if: hasNode)) func itsCommandsAndItsGitLabJobEndWithARegression() throws {
      let page = try #require(try TextFile.text(of: Products.root + "/bench/Regression.md"))
      let blocks = page.split(separator: "```sh\n").dropFirst().compactMap {
        $0.split(separator: "```\n").first
      }
      #expect(blocks.count == 4)
      let job = try #require(page.firstMatch(of: #/    - curl .*\n    - .*\n/#)).0.replacing(
        "    - ", with: "")
      try Products.withDirectory { directory in
        let output = try Products.shell(
          """
          set -e; cd \(directory); mkdir bin; ln -s "$EXAMPLE" bin/uvbench; PATH=$PWD/bin:$PATH
          {
          \(blocks[0..<3].joined())
          } || code=$?
          mkdir red; cp gate.md gate.xml red
          # GitLab's job and the history run the gate again. A short time is enough to see that they do.
          rm ../bin/uvbench
          cat > ../file <<'END'
          #!/bin/sh
          [ "$1" = history ] || set -- "$@" --time-budget 1
          exec "$EXAMPLE" "$@"
          END
          git update-ref refs/remotes/origin/main main
          UVBENCH_URL="file://$PWD/../file" CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main
          \(job.replacing("/usr/local/bin", with: "../bin"))
          \(blocks[3])
          exit $code
          """)
        #expect(output.code == 1, "\(output.text)")
        #expect(output.lines.contains { $0.hasPrefix("CPU per request ") && $0.hasSuffix("regressed") })
        let table = try Products.shell("cd \(directory)/shop && cat red/* gate.md history.html")
          .text
        #expect(
          table.contains("<failure message=\"CPU per request ") && table.contains("| CPU per request |")
            && table.contains(/failures="[12]"/) && table.contains("| cannot tell: "),
          "\(table)")
        #expect(output.text.contains(": 1 run, ") && table.contains("<h1>Benchmark"), "\(output.text)")
        #expect(try Products.shell("git -C \(directory)/shop worktree list").lines.count == 2)
      }
    }

    /// The steps of `action.yml` in their order, as a runner gives them their inputs.
    private static func steps() throws -> [String] {
      let lines = TextFile.lines(of: Products.root + "/action.yml")
      return lines.split { $0.hasPrefix("      run: |") }.dropFirst().map { step in
        step.prefix { $0.hasPrefix("        ") }.joined(separator: "\n")
      }
    }

    /// A script takes the place of Docker. It checks the arguments, and copies a program that is there already.
    @Test func theActionBuildsWhatItsSourcesSayAndFailsOnARegression() throws {
      let steps = try Self.steps()
      #expect(steps.count == 3)
      try Products.withDirectory { directory in
        let output = try Products.shell(
          """
          mkdir \(directory)/{bin,temp}; cd \(directory)
          cat > bin/docker <<'END'
          #!/bin/bash
          [[ "$*" == "run --rm -v $GITHUB_ACTION_PATH:/source:ro -v $RUNNER_TEMP:/out swift:"*"bench/run --binary /out/uvbench" ]] || exit 9
          cp "$EXAMPLE" "$RUNNER_TEMP/uvbench"
          END
          chmod +x bin/docker; PATH=$PWD/bin:$PATH
          export GITHUB_ACTION_PATH='\(Products.root)' RUNNER_TEMP=$PWD/temp GITHUB_OUTPUT=$PWD/out GITHUB_STEP_SUMMARY=$PWD/summary
          step() { bash --noprofile --norc -eo pipefail -c "$1"; }
          sources='\(steps[0])'
          step "$sources"; step "$sources"
          mkdir -p other/bench; cp "$GITHUB_ACTION_PATH"/{action.yml,Package.swift} other
          cp -r "$GITHUB_ACTION_PATH"/bench/{Package.*,run,setup,Harness,Hooks,Support,LoadGenerator,OneFile,System} other/bench
          GITHUB_ACTION_PATH=$PWD/other step "$sources"
          echo >> other/bench/Harness/Model/Glob.swift
          GITHUB_ACTION_PATH=$PWD/other step "$sources"
          cat <<'END' > build
          \(steps[1])
          END
          cat <<'END' > gate
          \(steps[2])
          END
          step "$(cat build)" || echo "build: $?"
          export OLD='exit 0' NEW='exit 0' LOAD= SMALLEST=10 OPTIONS='--judge cpu --time-budget 0.1' UVBENCH=
          step "$(cat gate)"; echo "same: $?"
          export NEW='i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done' OPTIONS='--judge cpu' UVBENCH="$EXAMPLE"
          step "$(cat gate)"; echo "slower: $?"
          export OLD='sleep 9' NEW='sleep 9' LOAD='http://127.0.0.1:{port}/' OPTIONS='--start-within 0.1'
          step "$(cat gate)"; echo "silent: $?"
          """)
        #expect(!output.lines.contains { $0.hasPrefix("build: ") }, "\(output.text)")
        #expect(
          output.lines.filter { $0.contains(#/^(same|slower|silent): /#) } == [
            "same: 0", "slower: 1", "silent: 3",
          ],
          "\(output.text)")
        let set = try Products.shell("cat \(directory)/out").lines
        let hashes = set.filter { $0.contains(#/^hash=[0-9a-f]{16}$/#) }
        #expect(hashes.count == 4 && Set(hashes[0..<3]).count == 1 && hashes[3] != hashes[2], "\(set)")
        #expect(set.count { $0.hasPrefix("markdown=\(directory)/temp/gate-") } == 3, "\(set)")
        let summary = try Products.shell("cat \(directory)/summary").text
        #expect(summary.contains("failed, code 1") && summary.contains("| CPU per run |"), "\(summary)")
      }
    }
  #endif
}
