import Testing
import UV
import UVTestSupport

@Suite struct WorkingDirectoryTests {
  @Test("An error says whether the program is missing, or the working directory", .onTheMachine("/bin/true"))
  func which() async throws {
    try await withLoopAndDirectory { loop, directory in
      func failure(_ program: String, in folder: String?) -> UVError? {
        do throws(UVError) {
          _ = try loop.processes.spawn(program, workingDirectory: folder)
          return nil
        } catch { return error }
      }
      let nowhere = directory + "/nowhere"
      let file = directory + "/file"
      try await loop.files.writeFile(file, "text").value
      for program in ["/bin/true", nowhere] {
        let missing = failure(program, in: nowhere)
        #expect(missing?.code == .noSuchFile && missing?.subject == "working directory \(nowhere)")
        let other = failure(program, in: file)
        #expect(other?.code == .notDirectory && other?.subject == "working directory \(file)")
      }
      let program = failure(nowhere, in: directory)
      #expect(program?.code == .noSuchFile && program?.subject == nowhere)
      #expect(failure(nowhere, in: nil)?.subject == nowhere)
    }
  }
}
