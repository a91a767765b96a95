import Testing

@testable import BenchHarness

#if os(Linux)
  /// `--pin` and what is recorded of it.
  @Suite struct PinningTests {
    private let run = "$EXAMPLE run -p size=16 --rounds 1 --duration 0.01"

    /// The processors that the test may use.
    private func processors() throws -> [String] {
      let output = try Products.shell(
        "for cpu in $(seq 0 255); do taskset -c $cpu true 2> /dev/null && echo $cpu; done; true")
      return output.lines
    }

    private func isApart(_ options: String, _ directory: String, _ name: String) throws -> Bool {
      let output = try Products.shell("\(run) \(options) --json \(directory)/\(name)")
      try #require(output.code == 0, "\(output.text)")
      let text = try Products.shell("cat \(directory)/\(name)").text
      let isApart = try LineJSON.value(Results.self, text).method.pinnedApart
      // What is said is what is recorded.
      #expect(output.text.contains(isApart ? "a processor each" : "not pinned apart"), "\(output.text)")
      return isApart
    }

    @Test func whatIsRecordedIsWhatWasChosen() throws {
      let here = try processors()
      guard here.count > 1 else { return }
      try Products.withDirectory { directory in
        #expect(try isApart("", directory, "usual.json"))
        #expect(try isApart("--pin auto", directory, "auto.json"))
        #expect(try isApart("--pin \(here[1]),\(here[0])", directory, "two.json"))
        #expect(try !isApart("--pin off", directory, "off.json"))
        #expect(try !isApart("--pin \(here[0])", directory, "one.json"))
        #expect(try !isApart("--pin \(here[0]),\(here[0])", directory, "twice.json"))
        let compared = try Products.shell("$EXAMPLE compare \(directory)/auto.json \(directory)/off.json")
        #expect(compared.code == 4 && compared.text.contains("pinned differently"), "\(compared.text)")
      }
    }

    @Test func theOptionComesBeforeTheEnvironment() throws {
      guard try processors().count > 1 else { return }
      try Products.withDirectory { directory in
        let off = try Products.shell("BENCH_CPUS=off \(run)")
        #expect(off.code == 0 && off.text.contains("not pinned apart"), "\(off.text)")
        let auto = try Products.shell("BENCH_CPUS=off \(run) --pin auto")
        #expect(auto.code == 0 && auto.text.contains("a processor each"), "\(auto.text)")
      }
    }

    @Test func aProcessorThatIsNotThereIsNamed() throws {
      let here = try processors().joined(separator: ", ")
      for list in ["999", "\(here.prefix { $0 != "," }),999"] {
        let output = try Products.shell("\(run) --pin \(list)")
        #expect(output.code == 2, "\(output.text)")
        #expect(output.text.contains("--pin: there is no processor 999 here (\(here))"), "\(output.text)")
      }
    }
  }
#endif
