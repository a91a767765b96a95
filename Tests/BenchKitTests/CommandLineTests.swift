import BenchKit
import Testing

/// The programs as one meets them in a shell: what they say, and what they end with.
@Suite struct CommandLineTests {
  @Test(arguments: [
    ("$UVBENCH run --no-such-option", 2), ("$UVBENCH run --rounds 0", 2),
    ("$UVBENCH run --workload nothing", 2), ("$UVBENCH run --rate 100 --find-peak", 2),
    ("$UVBENCH run --workload fs-stat --rate 100", 2), ("$UVBENCH run --pin here", 2),
    ("$UVBENCH run --quick --json /nonexistent/file.json", 2), ("$UVBENCH run -p size", 2),
    ("$UVBENCH gate", 2), ("$UVBENCH gate --against a --base-bin b", 2),
    ("$UVBENCH gate --base-bin /nonexistent/program", 2),
    ("$UVBENCH gate --counts --baselines /nonexistent", 4),
    ("$UVBENCH gate --counts --junit /nonexistent/file.xml", 2),
    ("$UVBENCH gate --against no-such-revision", 2), ("$UVBENCH gate selftest --minutes 0", 2),
    ("$UVBENCH compare /nonexistent/a /nonexistent/b", 2), ("$UVBENCH report /dev/null", 2),
    ("$UVBENCH gate --base-bin /bin/true -w then-chain -s c", 3), ("$UVBENCH check --rate 1", 2),
    ("$UVBENCH peers --folder /nonexistent", 2), ("$UVBENCH targets --workload nothing", 2),
    ("$UVBENCH targets /nonexistent/results.json", 2), ("$UVBENCH scale --style nothing", 2),
    ("$EXAMPLE scale", 2), ("$EXAMPLE targets", 2),
    ("$UVBENCH --help", 0), ("$UVBENCH gate selftest --help", 0), ("$EXAMPLE --list", 0),
  ])
  func codesAndAClearLine(command: String, code: Int32) throws {
    let output = try Products.shell(command)
    #expect(output.code == code, "\(command): \(output.text)")
    #expect(!output.lines.isEmpty)
    #expect(!output.text.contains("Fatal error"), "\(output.text)")
  }

  @Test func aWorkloadOfOnesOwnGetsEverything() throws {
    try Products.withDirectory { directory in
      let file = directory + "/results.json"
      let run = try Products.shell(
        "$EXAMPLE run -p size=64,128 --rounds 2 --duration 0.02 --json \(file)")
      #expect(run.code == 0, "\(run.text)")
      #expect(run.lines.count { $0.hasPrefix("hashing  size=") } == 2)
      let compared = try Products.shell("$EXAMPLE compare \(file) \(file)")
      #expect(compared.code == 0 && compared.text.contains("too few rounds"), "\(compared.text)")
      let page = try Products.shell("$EXAMPLE report \(file) --output \(directory)/report.html")
      #expect(page.code == 0, "\(page.text)")
      let gate = "$EXAMPLE gate --counts -p size=16 --baselines \(directory)"
      #expect(try Products.shell(gate).code == 4)
      #expect(try Products.shell(gate + " --update").code == 0)
      #expect(try Products.shell(gate).code == 0)
      for injection in ["--inject-alloc", "--inject-syscall", "--inject-enqueue"] {
        let found = try Products.shell("\(gate) \(injection) --json \(directory)/gate.json")
        #expect(found.code == 1, "\(injection): \(found.text)")
      }
      #expect(try Products.shell("echo nonsense > $(ls \(directory)/counts*); \(gate)").code == 2)
    }
  }

  @Test(arguments: [("$((n * n))", 0, "in then-chain"), ("$n", 3, "not `"), ("", 3, "answered")])
  func aPeerIsMeasuredAndItsWorkIsChecked(found: String, code: Int32, text: String) throws {
    try Products.withDirectory { directory in
      let output = try Products.shell(
        """
        cat > \(directory)/peer.sh << 'END'
        while read n; do
          i=0; while [ $i -lt $n ]; do i=$((i + 1)); done
          echo "$n \(found)"
        done
        END
        cat > \(directory)/peers.json << 'END'
        [{"name": "shell", "style": "callback", "about": "a shell", "workloads": ["then-chain"],
          "command": ["sh", "./peer.sh"]},
         {"name": "gone", "style": "async", "about": "nothing", "workloads": ["then-chain"],
          "command": ["./gone"]}]
        END
        $UVBENCH peers --quick --duration 0.01 --folder \(directory) -o \(directory)/page.html
        code=$?; [ $code != 0 ] || grep -c 'id="peers"' \(directory)/page.html; exit $code
        """)
      #expect(output.code == code, "\(output.text)")
      #expect(output.text.contains("skipped gone: there is no \(directory)/./gone"), "\(output.text)")
      #expect(output.text.contains(text), "\(output.text)")
    }
  }

  @Test func programsWithOtherWorkAreNotComparable() throws {
    let output = try Products.shell("$EXAMPLE gate --base-bin $UVBENCH -p size=64 -s c")
    #expect(output.code == 4, "\(output.text)")
  }

  #if os(Linux)
    /// Starts the example on a long run, does something to it, and tells what is left.
    private func disturbed(_ what: String, directory: String) throws -> Products.Output {
      try Products.shell(
        """
        export TMPDIR=\(directory)
        $EXAMPLE run --duration 30 --rounds 60 --json \(directory)/results.json > \(directory)/out 2>&1 &
        main=$!
        for try in $(seq 100); do
          worker=$(cat /proc/$main/task/$main/children); [ -n "$worker" ] && break; sleep 0.05
        done
        sleep 0.3
        \(what)
        wait $main; code=$?
        for try in $(seq 100); do
          alive=; for id in $worker; do [ -d /proc/$id ] && alive=$id; done
          [ -z "$alive" ] && break; sleep 0.05
        done
        echo "alive:$alive files:$(ls \(directory) | grep -v '^out$' | tr '\\n' ' ')"
        cat \(directory)/out
        exit $code
        """)
    }

    @Test(arguments: [("KILL", 137), ("TERM", 130), ("INT", 130)])
    func aSignalLeavesNoOrphanAndNoHalfWrittenFile(signal: String, code: Int32) throws {
      try Products.withDirectory { directory in
        // A shell makes its background jobs deaf to SIGINT.
        let other = signal == "INT" ? "HUP" : signal
        let output = try disturbed("kill -\(other) $main", directory: directory)
        #expect(output.code == code, "\(output.text)")
        let left = try #require(output.lines.first { $0.hasPrefix("alive:") })
        #expect(left.hasPrefix("alive: files:") && !left.contains("results.json"), "\(output.text)")
        if code == 130 { #expect(left == "alive: files:", "\(output.text)") }
      }
    }

    @Test func aWorkerThatIsKilledEndsTheRunWithALine() throws {
      try Products.withDirectory { directory in
        let output = try disturbed("kill -KILL $worker", directory: directory)
        #expect(output.code == 3, "\(output.text)")
        #expect(output.text.contains("killed by signal 9"), "\(output.text)")
        #expect(!output.text.contains("files:results.json"))
      }
    }

    @Test func aLoadGeneratorThatIsKilledEndsTheRunWithALine() throws {
      let output = try Products.shell(
        """
        $UVBENCH run -w tcp-echo -s c --duration 30 --rounds 60 2>&1 &
        main=$!
        for try in $(seq 100); do
          for worker in $(cat /proc/$main/task/*/children); do
            peer=$(cat /proc/$worker/task/*/children); [ -n "$peer" ] && break 2
          done
          sleep 0.05
        done
        sleep 0.3; kill -KILL $peer; wait $main
        """)
      #expect(output.code == 3, "\(output.text)")
      #expect(output.text.contains("tcp-echo@"), "\(output.text)")
    }
  #endif
}
