import Foundation
import Testing

/// The example that speaks Redis' protocol, with Redis' own clients.
@Suite(.enabled(if: Client.hasRedis, Client.howToInstall)) final class RedisServerTests {
  /// What runs until the test has ended.
  private var programs: [RunningProgram] = []

  static let styles = ["callback", "promise", "publisher", "async"]

  private func server(_ arguments: String...) throws -> (RunningProgram, port: String) {
    let server = try RunningProgram(example: "RedisServer", ["--port", "0"] + arguments)
    programs.append(server)
    return (server, try server.port())
  }

  /// Passes commands to redis-cli, one a line; the answers.
  private func cli(_ port: String, _ commands: [String]) throws -> [String] {
    let lines = commands.joined(separator: "\n")
    return try Client.run("redis-cli -p \(port) --no-raw <<'END'\n\(lines)\nEND")
      .split(separator: "\n").map(String.init)
  }

  @Test(
    "Strings, counters, lists and expiry answer redis-cli as Redis does, in each style", arguments: styles)
  func commands(style: String) throws {
    let (server, port) = try server("--style", style)
    let conversation = [
      ("PING", "PONG"), ("SET a 1", "OK"), ("GET a", "\"1\""), ("GET b", "(nil)"),
      ("INCR a", "(integer) 2"), ("INCRBY a 40", "(integer) 42"), ("DECR n", "(integer) -1"),
      ("APPEND a 0", "(integer) 3"), ("STRLEN a", "(integer) 3"), ("SET a x NX", "(nil)"),
      ("SET a x XX", "OK"), ("INCR a", "(error) ERR value is not an integer or out of range"),
      ("MSET c 1 d 2", "OK"), ("EXISTS a b c d", "(integer) 3"), ("DEL a b c", "(integer) 2"),
      ("RPUSH l 2 3 4", "(integer) 3"), ("LPUSH l 1", "(integer) 4"), ("LLEN l", "(integer) 4"),
      ("LINDEX l -1", "\"4\""), ("LPOP l", "\"1\""), ("RPOP l", "\"4\""), ("TYPE l", "list"),
      ("LPOP l", "\"2\""), ("LPOP l", "\"3\""), ("LPOP l", "(nil)"), ("EXISTS l", "(integer) 0"),
      ("RPUSH l x", "(integer) 1"),
      ("GET l", "(error) WRONGTYPE Operation against a key holding the wrong kind of value"),
      ("SET e 1 EX 100", "OK"), ("TTL e", "(integer) 100"), ("PERSIST e", "(integer) 1"),
      ("TTL e", "(integer) -1"), ("TTL b", "(integer) -2"), ("EXPIRE e -1", "(integer) 1"),
      ("GET e", "(nil)"), ("DBSIZE", "(integer) 3"), ("FLUSHALL", "OK"), ("DBSIZE", "(integer) 0"),
      ("NONSENSE", "(error) ERR unknown command 'NONSENSE'"),
      ("\" GET\" a", "(error) ERR unknown command ' GET'"),
      ("GET", "(error) ERR wrong number of arguments for 'get' command"),
    ]
    #expect(try cli(port, conversation.map(\.0)) == conversation.map(\.1))
    #expect(try cli(port, ["RPUSH l a b c", "LRANGE l -2 -1"]) == ["(integer) 3", "1) \"b\"", "2) \"c\""])
    #expect(try Client.run("redis-cli -p \(port) INFO").contains("style:\(style)"))
    server.terminate()
    #expect(try server.end() == ("ended; 0 connections were cut off\n", 0))
  }

  @Test("A key is gone once its time has come")
  func expiry() throws {
    let (_, port) = try server()
    #expect(try cli(port, ["SET a 1 PX 20", "SET b 1"]) == ["OK", "OK"])
    while try cli(port, ["EXISTS a"]) == ["(integer) 1"] {}
    // Nobody asks for `c` by its name: it is removed all the same.
    #expect(try cli(port, ["SET c 1 PX 20"]) == ["OK"])
    while try cli(port, ["DBSIZE"]) != ["(integer) 1"] {}
  }

  @Test("redis-benchmark gets an answer to each command, pipelined or not, in each style", arguments: styles)
  func benchmark(style: String) throws {
    let (_, port) = try server("--style", style, "--loops", "2")
    for pipeline in [1, 16] {
      let output = try Client.run(
        "redis-benchmark -p \(port) -q -c 10 -n 1600 -P \(pipeline) -t ping,set,get,incr,lpush,rpush,lpop,rpop,mset"
      )
      #expect(output.matches(of: /requests per second/).count == 10)
      #expect(!output.lowercased().contains("error"), "\(output)")
    }
    #expect(try cli(port, ["GET counter:__rand_int__"]) == ["\"3200\""])
  }

  @Test("A value of a megabyte comes back as it was, in each style", arguments: styles)
  func largeValue(style: String) throws {
    let (_, port) = try server("--style", style)
    let output = try Client.run(
      """
      file=$(mktemp); trap 'rm $file' EXIT
      head -c 1048576 /dev/urandom | base64 -w 0 > $file
      redis-cli -p \(port) -x SET big < $file
      redis-cli -p \(port) GET big | tr -d '\\n' | cmp - $file && echo same
      redis-cli -p \(port) TYPE big; redis-cli -p \(port) LLEN big; redis-cli -p \(port) DBSIZE
      redis-cli -p \(port) STRLEN big; wc -c < $file
      redis-cli -p \(port) GET big | tr -d '\\n' | cmp - $file && echo same
      redis-cli -p \(port) -x SET big < $file; redis-cli -p \(port) LLEN none
      redis-cli -p \(port) DEL big; redis-cli -p \(port) -x APPEND big < $file
      redis-cli -p \(port) FLUSHALL > /dev/null; redis-cli -p \(port) DBSIZE
      """)
    let wrongType = "WRONGTYPE Operation against a key holding the wrong kind of value\n\n"
    #expect(output == "OK\nsame\nstring\n\(wrongType)1\n1398104\n1398104\nsame\nOK\n0\n1\n1398104\n0\n")
  }

  @Test("A client too many gets an answer, and others are served", .enabled(if: Client.hasNetcat))
  func tooManyClients() throws {
    let (_, port) = try server("--max-clients", "1")
    let client = try RunningProgram(["nc", "127.0.0.1", port])
    try client.write("PING\n")
    #expect(try client.line() == "+PONG\r")
    #expect(try Client.run("redis-cli -p \(port) PING").contains("max number of clients reached"))
    try client.write("PING\n")
    #expect(try client.line() == "+PONG\r")
  }

  @Test(
    "SIGTERM lets go of clients that ask for nothing, in each style", .enabled(if: Client.hasNetcat),
    arguments: styles)
  func graceful(style: String) throws {
    let (server, port) = try server("--style", style, "--grace", "30")
    let client = try RunningProgram(["nc", "127.0.0.1", port])
    try client.write("PING\n")
    #expect(try client.line() == "+PONG\r")
    server.terminate()
    #expect(try server.end() == ("ended; 0 connections were cut off\n", 0))
  }

  @Test("What can't be understood is an error, and the end of the connection", .enabled(if: Client.hasNetcat))
  func protocolErrors() throws {
    let (_, port) = try server("--max-value", "100")
    for (bytes, answer) in [
      ("*1\\r\\n$x\\r\\n", "-ERR Protocol error: invalid bulk length\r\n"),
      ("*1\\r\\n$101\\r\\n", "-ERR Protocol error: invalid bulk length\r\n"),
      ("*1\\r\\nPING\\r\\n", "-ERR Protocol error: expected '$'\r\n"),
      ("*9999999999999\\r\\n", "-ERR Protocol error: invalid multibulk length\r\n"),
      ("PING\\r\\n*1\\r\\n$4\\r\\nPINGPONG", "+PONG\r\n-ERR Protocol error: expected the end of a line\r\n"),
      ("PING hello\\nQUIT\\nPING\\n", "$5\r\nhello\r\n+OK\r\n"),
    ] {
      // The client reads until the server closes the connection.
      #expect(try Client.run("printf '\(bytes)' | nc 127.0.0.1 \(port)") == answer)
    }
  }

  @Test("A command that comes in many pieces is executed once it is complete", .enabled(if: Client.hasNetcat))
  func pieces() throws {
    let (_, port) = try server()
    let script =
      "*3\\r\\n$3\\r\\nSET\\r\\n$1\\r\\na\\r\\n$5\\r\\nhello\\r\\n*2\\r\\n$3\\r\\nGET\\r\\n$1\\r\\na\\r\\n"
    // A byte at a time: each is a packet, since `nc` writes what it reads.
    let output = try Client.run(
      "printf '\(script)QUIT\\r\\n' | { while IFS= read -r -d '' -n 1 c || [ -n \"$c\" ]; do printf %s \"$c\"; done; } | nc 127.0.0.1 \(port)"
    )
    #expect(output == "+OK\r\n$5\r\nhello\r\n+OK\r\n")
  }

  /// Debian's redis-cli speaks TLS; others may not.
  static let clientSpeaksTLS = (try? Client.run("redis-cli --help 2>&1"))?.contains("--tls") == true

  @Test(
    "redis-cli speaks TLS with the server, in each style", .enabled(if: clientSpeaksTLS), arguments: styles)
  func tls(style: String) throws {
    let certificate = TestCertificate.shared
    let (server, port) = try RunningProgram.serving("RedisServer", ["--style", style] + certificate.options)
    programs.append(server)
    let output = try Client.run(
      """
      cli() { redis-cli -p \(port) --tls --cacert '\(certificate.certificate)' "$@"; }
      file=$(mktemp); trap 'rm $file' EXIT
      head -c 1048576 /dev/urandom | base64 -w 0 > $file
      cli SET a 1; cli INCR a; cli -x SET big < $file
      cli GET big | tr -d '\\n' | cmp - $file && echo same
      """)
    #expect(output == "OK\n2\nOK\nsame\n")
    server.terminate()
    #expect(try server.end() == ("ended; 0 connections were cut off\n", 0))
  }
}
