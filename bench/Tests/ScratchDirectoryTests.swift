import Testing

/// The directories in which the benchmark works, below the place for temporary files.
@Suite struct ScratchDirectoryTests {
  @Test func `What a killed run has left is removed, and nothing else with such a name`() throws {
    try Products.withDirectory { path in
      // No process has these numbers.
      let output = try Products.shell(
        """
        cd \(path)
        mkdir uvbench-99999991 uvbench-99999992
        touch uvbench-99999991/.uvbench-scratch uvbench-99999992/notes uvbench-99999993
        TMPDIR=\(path) $EXAMPLE run --quick --size 64 >run.log || cat run.log
        rm run.log
        ls -d *
        """)
      #expect(output.lines.suffix(2) == ["uvbench-99999992", "uvbench-99999993"], "\(output.text)")
      #expect(!output.text.contains("uvbench-99999991"), "\(output.text)")
    }
  }
}
