import Foundation
import Testing
import UV
import UVTestSupport

@Suite struct FileDescriptorTests {
  @Test("A file from a descriptor takes the descriptor over")
  func takingOver() async throws {
    try await withTemporaryDirectory { directory in
      try await withLoop { loop in
        let descriptor = Foundation.open("\(directory)/a", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        let file = try loop.files.open(fileDescriptor: descriptor)
        #expect(file.path.string == "/dev/fd/\(descriptor)")
        try await file.write("hello").value
        #expect(try await file.read(10, at: 1).value == "ello")
        #expect(try await file.stat().value.size == 5)
        try await file.close().value
        #expect(fcntl(descriptor, F_GETFD) == -1)
      }
    }
  }

  @Test("A file from a descriptor can do what the descriptor was opened for", .onTheMachine("/dev/zero"))
  func readOnly() async throws {
    try await withLoop { loop in
      let file = try loop.files.open(fileDescriptor: Foundation.open("/dev/zero", O_RDONLY | O_CLOEXEC))
      #expect(try await file.read(3).value == Bytes([0, 0, 0]))
      await expectError(.badDescriptor, of: try await file.write("a").value)
      try await file.close().value
    }
  }

  @Test("What is no file is refused, and still belongs to the caller", .onTheMachine("a terminal"))
  func refusal() async throws {
    try await withLoop { loop in
      let (control, descriptor) = try openPseudoTerminal()
      let (reading, writing) = try loop.pipes.pair()
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      for descriptor in try [descriptor, reading.fileDescriptor(), listener.fileDescriptor()] {
        await expectError(.invalidArgument, of: try loop.files.open(fileDescriptor: descriptor))
        #expect(fcntl(descriptor, F_GETFD) >= 0)
      }
      await expectError(.badDescriptor, of: try loop.files.open(fileDescriptor: -1))
      for handle in [reading, writing, listener] as [Handle] { handle.close() }
      Foundation.close(descriptor)
      Foundation.close(control)
    }
  }
}
