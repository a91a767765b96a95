import CTestHooks
import Foundation
import Testing
import UV
import UVTestSupport

/// Files that the system reads and writes in parts.
@Suite(.serialized) struct FileFaultTests {
  @Test(.rule(15)) func `A file is written whole, whatever the system takes at a time`() async throws {
    guard test_faults_reach(FaultLayer.system) != 0 else { return }
    try await withLoopAndDirectory { loop, directory in
      let bytes = Bytes((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 8) })
      for offset in [nil, 0, 10] as [Int64?] {
        let path = "\(directory)/\(offset ?? -1)"
        let file = try await loop.files.open(path, .readWrite, options: [.create]).value
        test_faults_arm(TEST_FAULT_SHORT, FaultLayer.system, 1, 5, offset == nil ? "write" : "pwrite64")
        try await file.write(bytes, at: offset).value
        #expect(test_faults_disarm() == 5)
        #expect(try await file.read(200_000, at: offset ?? 0).value == bytes)
        try await file.close().value
      }
      for atomically in [false, true] {
        test_faults_arm(TEST_FAULT_SHORT, FaultLayer.system, 1, 5, "write")
        try await loop.files.writeFile("\(directory)/whole", bytes, atomically: atomically).value
        #expect(test_faults_disarm() == 5)
        test_faults_arm(TEST_FAULT_SHORT, FaultLayer.system, 1, 5, "read")
        #expect(try await loop.files.readFile("\(directory)/whole").value == bytes)
        #expect(test_faults_disarm() == 5)
      }
    }
  }

  @Test func `A read of a file that a signal interrupts begins again`() async throws {
    guard test_faults_reach(FaultLayer.system) != 0 else { return }
    try await withLoopAndDirectory { loop, directory in
      try await loop.files.writeFile("\(directory)/f", "0123456789").value
      let file = try await loop.files.open("\(directory)/f").value
      for offset in [nil, 3] as [Int64?] {
        test_faults_arm(EINTR, FaultLayer.system, 1, 3, offset == nil ? "read" : "pread64")
        #expect(try await file.read(5, at: offset).value == (offset == nil ? "01234" : "34567"))
        #expect(test_faults_disarm() == 3)
      }
      try await file.close().value
    }
  }
}
