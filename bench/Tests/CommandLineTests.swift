import Testing

@testable import BenchHarness

/// The programs as one meets them in a shell: what they say, and what they end with.
@Suite struct CommandLineTests {
  @Test(arguments: [
    ("$UVBENCH run --no-such-option", 2), ("$UVBENCH run --rounds 0", 2),
    ("$UVBENCH run --workload nothing", 2), ("$UVBENCH run --rate 100 --find-peak", 2),
    ("$UVBENCH run --workload fs-stat --rate 100", 2), ("$UVBENCH run --pin here", 2),
    ("$UVBENCH run --quick --json /proc/none/", 2),
    ("$UVBENCH run --quick --json /nonexistent/file.json", 2), ("$UVBENCH run -p size", 2),
    ("$UVBENCH gate --command true --command ''", 2),
    ("$UVBENCH gate --server ' ' --server true --load a", 2),
    ("$UVBENCH gate --command true --command true -w tcp-echo", 2),
    ("$UVBENCH gate --command true --command true --connections 5", 2),
    ("$UVBENCH gate --command true --command true --inject 10", 2),
    ("$UVBENCH run --find-peak -w fs-stat", 2),
    ("$UVBENCH gate", 2), ("$UVBENCH gate --against a --base-bin b", 2),
    ("$UVBENCH gate --base-bin /nonexistent/program", 2),
    ("$UVBENCH gate --counts --baselines /nonexistent", 4),
    ("$UVBENCH gate --counts --junit /nonexistent/file.xml", 2), ("$UVBENCH run --quick --json ''", 2),
    ("$UVBENCH gate --counts --markdown /tmp", 2), ("$UVBENCH run --scale --json /nonexistent/file", 2),
    ("$UVBENCH gate --against no-such-revision", 2), ("$UVBENCH gate selftest --minutes 0", 2),
    ("$UVBENCH compare /nonexistent/a /nonexistent/b", 2), ("$UVBENCH report /dev/null", 2),
    ("$UVBENCH gate --base-bin /bin/true -w then-chain -s c", 2),
    ("$UVBENCH doctor --check stalls --seconds 1", 2),
    ("$UVBENCH peers --folder /nonexistent", 2), ("$UVBENCH run --targets --workload nothing", 2),
    ("$UVBENCH report --targets /nonexistent/results.json", 2), ("$UVBENCH run --scale --style nothing", 2),
    ("cd / && $UVBENCH doctor --check generators", 2), ("$EXAMPLE run --scale", 2),
    ("$EXAMPLE run --targets", 2),
    ("$UVBENCH run -w tcp-echo --rate 1e300", 2), ("$UVBENCH run -w tcp-echo --rate-of 1e30 --quick", 2),
    ("$UVBENCH run -w fs-stat --duration 1e300", 2), ("$UVBENCH run --time-budget 1e300 --quick", 2),
    ("$UVBENCH run --rounds 99999999999", 2), ("$UVBENCH doctor --budget 1e300", 2),
    ("$UVBENCH gate --base-bin $UVBENCH --time-budget 1e300", 2), ("$UVBENCH doctor --check nothing", 2),
    ("$UVBENCH gate selftest --minutes 1e300", 2), ("$UVBENCH gate selftest --inject 99999999999", 2),
    ("$UVBENCH run --rate nan", 2), ("$UVBENCH run -w tcp-echo --connections 99999999999999999999", 2),
    ("$UVBENCH generate", 2), ("$UVBENCH generate --listen 70000", 2),
    ("$UVBENCH generate --listen here:there", 2),
    ("$UVBENCH generate --listen 0.0.0.0:0", 2), ("$UVBENCH generate --listen '[::]:0' --token ''", 2),
    ("$UVBENCH generate --listen 0 --token 'a b'", 2),
    ("$UVBENCH generate --listen 192.0.2.1:0 --token t", 2),
    ("$UVBENCH run -w tcp-echo --generator 127.0.0.1:1", 2), ("$UVBENCH run --generator 127.0.0.1", 2),
    ("$UVBENCH run -w pipe-echo --generator 127.0.0.1:1", 2), ("$UVBENCH run --remote ftp://localhost/", 2),
    ("$UVBENCH run --remote http://localhost:1/ -w tcp-echo", 2),
    ("$UVBENCH run --remote echo://localhost", 2),
    ("$UVBENCH run --remote http://127.0.0.1:1/ --quick", 3),
    ("$EXAMPLE run --overload", 2), ("$UVBENCH run --targets --style async", 2),
    ("$UVBENCH run --scale --rate 100", 2), ("$UVBENCH run --overload --remote echo://localhost:1", 2),
    ("$UVBENCH run --processes 0", 2), ("$UVBENCH run --rounds 2 --processes 3", 2),
    ("$UVBENCH run --overload --processes 2", 2), ("$UVBENCH --help", 0),
    ("$UVBENCH gate selftest --help", 0), ("$EXAMPLE --list", 0),
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
      let gate = "$EXAMPLE gate --counts -p size=16 --baselines \(directory)/a/folder"
      #expect(try Products.shell(gate).code == 4)
      #expect(try Products.shell(gate + " --update").code == 0)
      #expect(try Products.shell(gate).code == 0)
      for injection in ["--inject-alloc", "--inject-syscall", "--inject-enqueue"] {
        let found = try Products.shell("\(gate) \(injection) --json \(directory)/gate.json")
        #expect(found.code == 1, "\(injection): \(found.text)")
      }
      #expect(try Products.shell("echo nonsense > $(ls \(directory)/a/folder/counts*); \(gate)").code == 2)
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
        $UVBENCH peers --quick --duration 0.3 --folder \(directory) -o \(directory)/page.html
        code=$?; [ $code != 0 ] || grep -c 'id="peers"' \(directory)/page.html; exit $code
        """)
      #expect(output.code == code, "\(output.text)")
      #expect(output.text.contains("skipped gone: there is no \(directory)/./gone"), "\(output.text)")
      #expect(output.text.contains("1 case, 6 rows, 5 rounds of 60.0 ms each: about "), "\(output.text)")
      #expect(output.text.contains(text), "\(output.text)")
    }
  }

  @Test func whatIsNoFileIsWrittenToAndStaysWhatItIs() throws {
    try Products.withDirectory { directory in
      let file = directory + "/results.json"
      let run = "$EXAMPLE run -p size=64 --rounds 1 --duration 0.01 --json"
      #expect(try Products.shell("\(run) \(file)").code == 0)
      let piped = try Products.shell("$EXAMPLE report \(file) --format csv --output /dev/stdout | wc -l")
      #expect(piped.lines.first.flatMap { Int($0.filter(\.isNumber)) } ?? 0 >= 2, "\(piped.text)")
      let full = try Products.shell("\(run) /dev/full; code=$?; test -c /dev/full && exit $code")
      #expect(full.code == 2 && full.text.contains("/dev/full"), "\(full.text)")
      let linked = try Products.shell(
        "cd \(directory) && ln -s results.json link && \(run) link && test -L link && ls")
      #expect(linked.code == 0 && linked.lines.last == "results.json", "\(linked.text)")
    }
  }

  #if os(Linux)
    /// Starts the example on a long run or gate, does something to it, and returns what is left.
    private func disturbed(
      _ what: String, directory: String, command: String = "run --duration 30 --rounds 60"
    ) throws -> Products.Output {
      try Products.shell(
        """
        set -m; export TMPDIR=\(directory)
        $EXAMPLE \(command) --json \(directory)/results.json > \(directory)/out 2>&1 &
        main=$!
        # A worker makes a directory when it begins.
        until [ -n "$(ls -d \(directory)/uvbench-*/uvbench-* 2> /dev/null)" ] || ! kill -0 $main; do sleep 0.02; done
        worker=$(cat /proc/$main/task/$main/children)
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

    /// The minus stands for the whole group of processes, as a key press reaches it.
    @Test(
      arguments: [("KILL", ""), ("TERM", ""), ("HUP", ""), ("INT", ""), ("INT", "-")],
      [
        "run --duration 30 --rounds 60", "gate --base-bin $EXAMPLE -p size=16384",
        "gate --counts --update --baselines $TMPDIR -p size=9999999", "gate selftest --minutes 9",
      ])
    func aSignalLeavesNoOrphanAndNoHalfWrittenFile(
      signal: (name: String, group: String), command: String
    ) throws {
      try Products.withDirectory { directory in
        let code: Int32 = signal.name == "KILL" ? 137 : 130
        let output = try disturbed(
          "kill -\(signal.name) -- \(signal.group)$main", directory: directory, command: command)
        #expect(output.code == code, "\(output.text)")
        let left = try #require(output.lines.first { $0.hasPrefix("alive:") })
        #expect(left.hasPrefix("alive: files:") && !left.contains("results.json"), "\(output.text)")
        if code == 130 { #expect(left == "alive: files:", "\(output.text)") }
      }
    }

    @Test(arguments: ["run --duration 30 --rounds 60", "gate --base-bin $EXAMPLE -p size=16384"])
    func aWorkerThatIsKilledEndsTheRunWithALine(command: String) throws {
      try Products.withDirectory { directory in
        // One after the other, since the first may be about to end by itself.
        let output = try disturbed(
          """
          for try in $(seq 50); do
            grep -q "^State:.Z" /proc/$main/status && break
            kill -KILL $(cat /proc/$main/task/$main/children); sleep 0.1
          done 2> /dev/null
          """, directory: directory, command: command)
        #expect(output.code == 3, "\(output.text)")
        #expect(output.text.contains("killed by signal 9"), "\(output.text)")
        // A run shows no figures; a gate says in its files why it has none.
        if command.hasPrefix("gate") {
          let json = try Products.shell("cat \(directory)/results.json").text
          let report = try LineJSON.value(GateReport.self, json)
          #expect(report.exit == 3 && report.reason?.contains("killed by signal 9") == true, "\(json)")
          #expect(report.times.isEmpty && report.counts.isEmpty, "\(json)")
        } else {
          #expect(!output.text.contains("files:results.json"))
        }
      }
    }

    @Test func withoutAPortTheRunEndsWithALine() throws {
      // A system of its own in which there is one port, and the server has taken it.
      let alone = "unshare -rn bash -c"
      guard try Products.shell("\(alone) 'ip link set lo up'").code == 0 else { return }
      let output = try Products.shell(
        "\(alone) 'ip link set lo up; echo 40000 40000 > /proc/sys/net/ipv4/ip_local_port_range;"
          + " $UVBENCH run --quick -w tcp-echo -s c'")
      #expect(output.code == 3 && output.text.contains("connect: "), "\(output.text)")
    }

    @Test func anOpenLoopTellsOfStallsThatAClosedLoopHides() throws {
      let output = try Products.shell("$UVBENCH doctor --check stalls --seconds 3")
      #expect(output.code == 0 || output.code == 1, "\(output.text)")
      /// The column of the open loop in the row that begins so.
      func openLoop(_ row: String, after words: Int) -> Double? {
        output.lines.first { $0.hasPrefix(row) }?.split(separator: " ").dropFirst(words).first
          .flatMap { Double($0) }
      }
      #expect(openLoop("requests", after: 1) == 6000, "\(output.text)")
      // What the machine does besides makes more of it slow, never less. The share is in per cent, after the
      // expected one.
      #expect(openLoop("from 50 ms on", after: 6) ?? 0 > 3, "\(output.text)")
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
        kill -KILL $peer; wait $main
        """)
      #expect(output.code == 3, "\(output.text)")
      #expect(output.text.contains("tcp-echo@"), "\(output.text)")
    }
  #endif
}
