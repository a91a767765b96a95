import Testing

@testable import BenchHarness

/// Load from another machine, and load on servers that run already.
@Suite struct RemoteTests {
  @Test(arguments: [
    ("10.0.0.1:7000", "10.0.0.1", 7000), ("[fe80::1]:80", "fe80::1", 80), ("a.example:1", "a.example", 1),
  ])
  func anAddressIsReadAsItIsWritten(text: String, host: String, port: UInt16) {
    #expect(NetworkAddress(text) == NetworkAddress(host: host, port: port))
    #expect(NetworkAddress(text)?.description == text)
  }

  @Test(arguments: ["", ":80", "host", "host:", "host:65536", "::1:80", "[::1:80", "[]:80", "a b:80"])
  func whatIsNoAddressIsNothing(text: String) {
    #expect(NetworkAddress(text) == nil)
    #expect(NetworkAddress("host", port: 80)?.port == 80)
  }

  @Test func onlyTheSameTokenIsTheSame() {
    for expected in ["", "a", "secret", "sécret"] {
      for sent in ["", "a", "b", "secre", "secret", "secrets", "sécret", "secret\0", "\0"] {
        #expect(LoadGenerator.isSame(sent, as: expected) == (sent == expected), "\(sent), \(expected)")
      }
    }
  }

  #if os(Linux)
    /// Runs a script beside a generator that listens at `$PORT` and wants the token `secret`.
    private func withGenerator(_ script: String, in namespace: String = "") throws -> Products.Output {
      try Products.withDirectory { directory in
        try Products.shell(
          """
          export UVBENCH_TOKEN=secret; log=\(directory)/log
          \(namespace) $UVBENCH generate --listen ${LISTEN:-0} > $log 2>&1 & generator=$!
          until grep -qs listening $log || ! kill -0 $generator 2>/dev/null; do sleep 0.05; done
          PORT=$(sed -n '1s/.*://p' $log)
          \(script)
          code=$?; kill -TERM $generator; wait $generator; echo "generator: $?"; cat $log; exit $code
          """)
      }
    }

    @Test(arguments: ["tcp-echo", "udp-echo", "tls-echo", "http-hello", "tcp-accept", "tcp-stream"])
    func theLoadMayComeFromAGeneratorThatListens(workload: String) throws {
      let output = try withGenerator(
        "$UVBENCH run -w \(workload) --quick --rounds 1 --duration 0.02 --generator 127.0.0.1:$PORT")
      #expect(output.code == 0, "\(output.text)")
      // The same checksum was found in each style, or the run had ended with an error.
      for style in ["c", "callback", "promise", "future", "async"] {
        #expect(output.lines.contains { $0.hasPrefix("  \(style) ") }, "\(output.text)")
      }
      #expect(output.text.contains("the load came from 127.0.0.1"), "\(output.text)")
      #expect(output.text.contains("generator: 0"), "\(output.text)")
      #expect(output.lines.count { $0.hasSuffix("has a load generator") } >= 5, "\(output.text)")
    }

    @Test func whoDoesNotKnowTheTokenIsRefused() throws {
      let output = try withGenerator(
        "$UVBENCH run -w tcp-echo --quick --generator 127.0.0.1:$PORT --token secrets")
      #expect(output.code == 2 && output.text.contains("says: the token is another"), "\(output.text)")
    }

    @Test(.enabled(if: hasPython)) func aCrowdWithoutTheTokenKeepsNobodyOut() throws {
      let output = try withGenerator(
        """
        python3 -c '
        import socket, sys, time
        crowd = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(300)]
        print("there", flush=True)
        time.sleep(1000)' $PORT > $log.crowd & crowd=$!
        until grep -qs there $log.crowd; do sleep 0.05; done
        $UVBENCH run -w tcp-echo -s async --quick --rounds 1 --duration 0.02 --generator 127.0.0.1:$PORT
        code=$?; kill $crowd; (exit $code)
        """)
      #expect(output.code == 0, "\(output.text)")
      #expect(output.text.contains("the load came from 127.0.0.1"), "\(output.text)")
    }

    @Test func tokensCannotBeTriedFast() throws {
      let output = try withGenerator(
        """
        for i in $(seq 60); do
          { exec 5<>/dev/tcp/127.0.0.1/$PORT; echo "uvbench 1 $i" >&5; cat <&5; } &
          tries="$tries $!"
        done; wait $tries
        """)
      #expect(output.text.contains("error the token is another"), "\(output.text)")
      #expect(output.text.contains("error too many wrong tokens have come from 127.0.0.1"), "\(output.text)")
      #expect(output.lines.count { $0 == "error the token is another" } < 60, "\(output.text)")
    }

    @Test func aFloodOfWrongTokensIsCounted() throws {
      let output = try withGenerator(
        """
        for i in $(seq 100); do
          { exec 5<>/dev/tcp/127.0.0.1/$PORT; echo "uvbench 0 $i" >&5; cat <&5; } & tries="$tries $!"
        done; wait $tries
        """)
      #expect(output.lines.count { $0.hasPrefix("error ") } == 100, "\(output.text)")
      let named = output.lines.count { $0.contains(" was refused: ") }
      #expect(named >= 10 && named < 100, "\(output.text)")
      let counted = output.lines.filter { $0.hasSuffix(" more were refused or have left") }
      #expect(counted.compactMap { Int($0.prefix { $0 != " " }) }.reduce(named, +) == 100, "\(output.text)")
    }

    @Test(arguments: ["GET / HTTP/1.1", "uvbench 0 secret", "uvbench 1", "run mode=echo", ""])
    func whoSaysSomethingElseIsTold(greeting: String) throws {
      let output = try withGenerator("exec 5<>/dev/tcp/127.0.0.1/$PORT; echo '\(greeting)' >&5; cat <&5")
      #expect(output.lines.first?.hasPrefix("error ") == true, "\(output.text)")
      #expect(output.text.contains("was refused") && output.text.contains("generator: 0"), "\(output.text)")
    }

    @Test func aVisitorCannotReachTheFilesOfTheGenerator() throws {
      let output = try withGenerator(
        """
        exec 5<>/dev/tcp/127.0.0.1/$PORT; printf 'uvbench 1 secret\\nrun mode=echo connections=1 size=1 path=/run/x\\n' >&5
        head -2 <&5
        """)
      #expect(output.lines.prefix(2).last?.hasPrefix("error port (or path)") == true, "\(output.text)")
    }

    /// Whether this process may make networks of its own.
    private static let canMakeNetworks =
      (try? Products.shell("ip netns add uvbench-probe && ip netns delete uvbench-probe"))?.code == 0

    @Test(.enabled(if: canMakeNetworks), arguments: ["10.9.8.2", "fd00:9::2"])
    func theTwoMayBeOnDifferentNetworks(host: String) throws {
      let address = host.contains(":") ? "[\(host)]" : host
      let output = try Products.shell(
        """
        one=uvbench-a-$$; two=uvbench-b-$$
        trap 'ip netns delete $one; ip netns delete $two' EXIT
        ip netns add $one && ip netns add $two || exit 9
        ip link add a$$ netns $one type veth peer name b$$ netns $two
        ip -n $one address add 10.9.8.1/24 dev a$$; ip -n $one address add fd00:9::1/64 dev a$$ nodad
        ip -n $two address add 10.9.8.2/24 dev b$$; ip -n $two address add fd00:9::2/64 dev b$$ nodad
        ip -n $one link set a$$ up; ip -n $two link set b$$ up
        export UVBENCH_TOKEN=secret; log=$(mktemp)
        ip netns exec $two $UVBENCH generate --listen '\(address):7000' > $log 2>&1 & generator=$!
        until grep -qs listening $log || ! kill -0 $generator 2>/dev/null; do sleep 0.05; done
        ip netns exec $one $UVBENCH run -w tcp-echo -w udp-echo -s async --quick --rounds 1 --duration 0.02 \
          --generator '\(address):7000'
        code=$?; kill -TERM $generator; wait $generator; cat $log; rm $log; exit $code
        """)
      #expect(output.code == 0, "\(output.text)")
      #expect(output.text.contains("the load came from \(host)"), "\(output.text)")
      #expect(output.lines.count { $0.hasPrefix("  async ") } == 2, "\(output.text)")
    }

    private static let hasPython = (try? Products.shell("python3 --version"))?.code == 0

    private static let hasRedis = (try? Products.shell("redis-server --version"))?.code == 0

    @Test(.enabled(if: hasRedis), arguments: ["", "-p pipelined=16", "-p sets=100"])
    func redisIsMeasured(options: String) throws {
      let output = try Products.withDirectory { directory in
        try Products.shell(
          """
          # One that is taken is left for the next.
          for port in $((20000 + $$ % 10000)) $((30000 + $$ % 2000)); do
            redis-server --port $port --bind 127.0.0.1 --save '' --dir \(directory) > \(directory)/log & server=$!
            until grep -qsi 'ready to accept' \(directory)/log || ! kill -0 $server 2>/dev/null; do sleep 0.05; done
            kill -0 $server 2>/dev/null && break
          done
          $UVBENCH run --quick --rounds 2 --duration 0.04 --connections 3 \(options) --remote redis://127.0.0.1:$port
          code=$?; kill $server; wait $server; exit $code
          """)
      }
      #expect(output.code == 0, "\(output.text)")
      #expect(output.lines.contains { $0.hasPrefix("  127.0.0.1:") }, "\(output.text)")
    }

    /// Runs `uvbench run --remote` on a server in Python.
    private func remote(_ scheme: String, _ target: String, _ options: String = "") throws -> Products.Output
    {
      let script =
        #filePath.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/RemoteServer.py"
      return try Products.withDirectory { directory in
        try Products.shell(
          """
          mkfifo \(directory)/end; python3 \(script) \(scheme) < \(directory)/end > \(directory)/port & server=$!
          exec 6> \(directory)/end; until [ -s \(directory)/port ]; do sleep 0.05; done
          $UVBENCH run --quick --rounds 2 --duration 0.04 --connections 3 \(options) \
            --remote \(scheme)://127.0.0.1:$(cat \(directory)/port)\(target)
          code=$?; exec 6>&-; wait $server; exit $code
          """)
      }
    }

    @Test(
      .enabled(if: hasPython),
      arguments: [
        ("http", "/length", ""), ("http", "/chunks", ""), ("http", "/close", ""), ("http", "/nothing", ""),
        ("http", "/length", "-p pipelined=4"), ("http", "/length", "--rate 50"),
        ("echo", "", "--size 100000"),
      ])
    func aServerThatRunsAlreadyIsMeasured(scheme: String, target: String, options: String) throws {
      let output = try remote(scheme, target, options)
      #expect(output.code == 0, "\(output.text)")
      #expect(output.lines.contains { $0.hasPrefix("  127.0.0.1:") && $0.contains(target) }, "\(output.text)")
      #expect(output.text.contains("the servers ran already"), "\(output.text)")
      #expect(!output.text.contains("CPU/op  "), "\(output.text)")
    }

    @Test(
      .enabled(if: hasPython),
      arguments: [
        ("http", "/no", "HTTP/1.1 404 Not Found"), ("http", "/until-closed", "neither how long"),
        ("echos", "", "load generator: "),
      ])
    func aServerThatDoesNotAnswerWellEndsTheRun(scheme: String, target: String, message: String) throws {
      let output = try remote(scheme, target)
      #expect(output.code != 0 && output.text.contains(message), "\(output.text)")
    }
  #endif
}
