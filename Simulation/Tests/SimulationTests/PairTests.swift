import Foundation
import Testing

/// Two programs that know nothing of it, as a server and a client.
@Suite struct PairTests {
  static let command = PreloadTests.package.appendingPathComponent("Preload/run").path

  /// A folder with programs in C, by their names.
  static func folder(_ programs: [String: String]) throws -> URL {
    _ = try PreloadTests.library()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pair-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in programs {
      let source = folder.appendingPathComponent("\(name).c").path
      try text.write(toFile: source, atomically: true, encoding: .utf8)
      let (code, messages) = try PreloadTests.run(
        "/usr/bin/env", ["clang", "-w", source, "-o", folder.appendingPathComponent(name).path], [:])
      try #require(code == 0, "\(messages)")
    }
    return folder
  }

  /// Runs a command of the shell there. The system's own programs are found, and not scripts that choose one.
  static func run(_ script: String, in folder: URL) throws -> (Int32, String) {
    try PreloadTests.run("/bin/bash", ["-c", "cd \(folder.path); \(script)"], ["PATH": "/usr/bin:/bin"])
  }

  static func pair(_ options: String, _ server: String, _ client: String, in folder: URL) throws -> (
    Int32, String
  ) {
    try run("\(command) \(options) --host server='\(server)' --host client='\(client)'", in: folder)
  }

  @Test("The article's server fails with a seed, is right once it writes all, and blocks in a storm")
  func article() throws {
    let page = try String(
      contentsOf: PreloadTests.package.appendingPathComponent(
        "Sources/UVSimulation/UVSimulation.docc/OtherPrograms.md"),
      encoding: .utf8)
    let blocks = page.matches(of: /(?s)```(\w*)\n(.*?)```/).map { (String($0.1), String($0.2)) }
    let sources = blocks.filter { $0.0 == "c" }.map(\.1)
    let (server, writeAll) = (sources[0], sources[1])
    let folder = try Self.folder([
      "server": server,
      "right": writeAll + server.replacing("|| write(", with: "|| write_all("),
    ])
    defer { try? FileManager.default.removeItem(at: folder) }
    try #require(blocks.first { $0.0 == "python" }).1.write(
      to: folder.appendingPathComponent("client.py"), atomically: true, encoding: .utf8)
    let line = try #require(blocks.first { $0.0 == "sh" }).1
      .replacing("Simulation/Preload/run", with: Self.command)
    let shown = try #require(blocks.first { $0.0 == "" }).1

    let (calm, messages) = try Self.pair("--seed 1-3", "./server", "python3 client.py", in: folder)
    #expect(calm == 0, "\(messages)")
    let (status, report) = try Self.run(line, in: folder)
    #expect(status == 1)
    for part in shown.replacing("\n  …", with: "…").split(separator: "…") {
      #expect(report.contains(part.trimmingCharacters(in: .newlines)), "\(report)")
    }
    let (right, complaint) = try Self.run(line.replacing("./server", with: "./right"), in: folder)
    #expect(right == 0, "\(complaint)")
    let (storm, stuck) = try Self.pair(
      "--seed 1-100 --weather storm", "./right", "python3 client.py", in: folder)
    #expect(storm == 70)
    #expect(stuck.contains("uvsim: nothing can run and nothing is due"), "\(stuck)")
    #expect(stuck.contains("server, thread 1: accept"), "\(stuck)")
  }

  @Test("Python's server and its client have the same digests for the same seed, and others for another one")
  func repeated() throws {
    let folder = try Self.folder([:])
    defer { try? FileManager.default.removeItem(at: folder) }
    try """
    import threading, time, urllib.request
    def ask():
        for _ in range(3):
            assert b"ask.py" in urllib.request.urlopen("http://server:8000/").read()
            time.sleep(1000)
    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    """.write(to: folder.appendingPathComponent("ask.py"), atomically: true, encoding: .utf8)
    func digests(_ seed: Int) throws -> [Substring] {
      let (status, report) = try Self.pair(
        "--seed \(seed) --weather usual --report", "python3 -m http.server 8000", "python3 ask.py", in: folder
      )
      #expect(status == 0, "\(report)")
      return report.split(separator: "\n").filter { $0.contains("digest") }.sorted()
    }
    let first = try digests(1)
    #expect(first.count == 2 && first[0].hasPrefix("uvsim: client: seed 1, digest "), "\(first)")
    // A thousand seconds thrice, and one more until the end.
    #expect(first[0].contains(", 3001."), "\(first)")
    #expect(try digests(1) == first)
    #expect(try digests(2) != first)
  }

  /// A server or a client that does what its first argument says.
  static let actor = """
    #include <netdb.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/select.h>
    #include <sys/socket.h>
    #include <netinet/in.h>
    #include <unistd.h>
    static int serve(void) {
      int listener = socket(AF_INET, SOCK_STREAM, 0);
      struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(80)};
      bind(listener, (struct sockaddr *)&any, sizeof any), listen(listener, 4);
      return accept(listener, 0, 0);
    }
    int main(int count, char **arguments) {
      const char *what = arguments[1];
      char bytes[100] = {0};
      if (!strcmp(what, "exit")) return atoi(arguments[2]);
      if (!strcmp(what, "sleep")) for (;;) sleep(60);
      if (!strcmp(what, "udp")) {
        struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(53), .sin_addr.s_addr = htonl(0x0A000001)};
        sendto(socket(AF_INET, SOCK_DGRAM, 0), "?", 1, 0, (struct sockaddr *)&to, sizeof to);
      }
      if (!strcmp(what, "get")) {
        struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
        if (getaddrinfo("server", "80", &hints, &found)) return 20;
        int connection = socket(found->ai_family, SOCK_STREAM, 0);
        if (connect(connection, found->ai_addr, found->ai_addrlen)) return 21;
        ssize_t size, all = 0;
        while ((size = read(connection, bytes, sizeof bytes)) > 0) all += size;
        return size < 0 ? 22 : all == 100000 ? 0 : 23;
      }
      int connection = serve();
      if (!strcmp(what, "say")) {
        static char all[100000];
        write(connection, all, sizeof all);
        if (atoi(arguments[2]) > 9) _exit(atoi(arguments[2]));
        exit(atoi(arguments[2]));
      }
      if (!strcmp(what, "print")) for (int i = 0; i < 1000; i++) dprintf(connection, "%100d", i);
      if (!strcmp(what, "crash")) abort();
      if (!strcmp(what, "fork")) fork();
      if (!strcmp(what, "select")) select(0, 0, 0, 0, 0);
      if (!strcmp(what, "compute")) for (;;) *(volatile char *)bytes = 1;
      if (!strcmp(what, "quick")) quick_exit(0);
      if (!strcmp(what, "wait")) return (int)read(connection, bytes, 1);
    }
    """

  @Test("Each end is reported, with its host and a code, and how to repeat it") func ends() throws {
    let folder = try Self.folder(["a": Self.actor])
    defer { try? FileManager.default.removeItem(at: folder) }
    let rows: [(options: String, server: String, client: String, status: Int32, says: [String])] = [
      // What a program has written arrives, although it has ended.
      ("", "say 0", "get", 0, []),
      ("", "say 3", "get", 3, ["uvsim: server has exited with 3", "uvsim: client has exited with 0"]),
      ("", "say 10", "get", 10, ["uvsim: server has exited with 10"]),
      ("", "print", "get", 0, []),
      ("", "exit 3", "get", 21, ["uvsim: server has exited with 3", "uvsim: client has exited with 21"]),
      ("", "sleep", "exit 7", 7, ["uvsim: server ran until the end", "uvsim: client has exited with 7"]),
      ("--reset 1", "say 0", "get", 22, ["uvsim: client has exited with 22"]),
      ("", "crash", "get", 134, ["uvsim: server was ended by signal 6"]),
      ("", "fork", "get", 70, ["uvsim: fork isn't simulated; the host \"server\" called it"]),
      ("", "select", "get", 70, ["uvsim: select isn't simulated; the host \"server\" called it"]),
      (
        "", "say 0", "udp", 70,
        ["uvsim: a datagram from one of two hosts to the other isn't simulated; the host \"client\""]
      ),
      ("", "quick", "get", 70, ["uvsim: server has ended with 0 in a way that isn't simulated"]),
      (
        "", "wait", "get", 70,
        ["nothing can run and nothing is due", "server, thread 1: read", "client, thread 1: read"]
      ),
      (
        "--limit 500", "sleep", "sleep", 70,
        ["the limit has been reached, after 500.000000 seconds", "client, thread 1: nanosleep"]
      ),
      (
        "--real-limit 1", "compute", "get", 124,
        ["the run has taken 1 seconds of real time", "server was running"]
      ),
    ]
    for row in rows {
      let (status, report) = try Self.pair(
        "--seed 5 \(row.options)", "./a \(row.server)", "./a \(row.client)", in: folder)
      #expect(status == row.status, "\(row): \(report)")
      for part in row.says { #expect(report.contains(part), "\(row): \(report)") }
      #expect(
        report.contains("uvsim: seed 5 failed. This repeats it:\n  \(Self.command) --seed 5 ")
          == (status != 0), "\(report)")
    }
  }

  @Test("Wrong use is reported before anything runs, and the help is printed") func wrongUse() throws {
    let folder = try Self.folder(["a": Self.actor])
    defer { try? FileManager.default.removeItem(at: folder) }
    try "text".write(to: folder.appendingPathComponent("text"), atomically: true, encoding: .utf8)
    let two = "--host a='./a exit 0' --host b='./a exit 0'"
    let rows = [
      ("", "no --host says what to run"), ("--host a", "--host takes NAME=COMMAND"),
      ("--hosts a=b", "there is no option \"--hosts\""),
      ("--host", "--host takes something behind it"),
      ("\(two) --host c=true", "there are more than two hosts"),
      ("--host a=true --host A=true", "both hosts have the name"),
      ("--host a='./a | ./a'", "means something to a shell"),
      ("--host a='./a \"b'", "a quote without an end"), ("--host a=' '", "is empty"),
      ("--host a_b=true", "letters, digits and -"),
      ("--host a=./b", "isn't there"), ("--host a=./text", "can't be run"),
      ("--host a=true --reset 0.5", "--reset is for two hosts"),
      ("\(two) --seed x", "--seed takes a number"), ("\(two) --seed 5-3", "--seed takes a number"),
      ("\(two) --seed 99999999999999999999", "at most 64 bits"),
      ("\(two) --weather rain", "--weather is calm, usual or storm"),
      ("\(two) --cut 2", "--cut takes a number from 0 to 1"),
      ("\(two) --limit -1", "--limit takes a number from 0"),
    ]
    for (arguments, says) in rows {
      let (status, report) = try Self.run("\(Self.command) \(arguments)", in: folder)
      #expect(
        status == 2 && report.contains(says) && report.contains("--help says more"), "\(arguments): \(report)"
      )
    }
    let (status, _) = try Self.run(
      "\(Self.command) --help | grep -q 'Not simulated are datagrams'", in: folder)
    #expect(status == 0)
    // One host alone is run, too.
    let (alone, report) = try Self.run("\(Self.command) --host a='./a exit 4'", in: folder)
    #expect(alone == 4 && report.contains("uvsim: a has exited with 4"), "\(report)")
    // A program with libc in itself would run without the simulation.
    let (built, messages) = try Self.run(
      "echo 'int main() {}' >static.c; cc -static static.c -o static", in: folder)
    try #require(built == 0, "\(messages)")
    let (refused, complaint) = try Self.run("\(Self.command) --host a=./static", in: folder)
    #expect(refused == 2 && complaint.contains("is linked statically"), "\(complaint)")
  }
}
