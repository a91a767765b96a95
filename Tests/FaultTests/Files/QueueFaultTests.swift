import CTestHooks
import Foundation
import Testing
import UV
import UVTestSupport

/// Files for which libuv has no thread.
@Suite(.serialized) struct QueueFaultTests {
  /// Operations that go through the queue of files.
  enum Call: CaseIterable {
    case open, stat, lstat, setTimes, status, read, write, close
  }

  private nonisolated(nonsending) func make(
    _ call: Call, _ loop: EventLoop, _ path: String, _ file: File
  ) async throws(UVError) {
    switch call {
    case .open: try await loop.files.open(path).value.close().value
    case .stat: _ = try await loop.files.stat(path).value
    case .lstat: _ = try await loop.files.lstat(path).value
    case .setTimes:
      try await loop.files.utime(path, accessTime: .seconds(1), modificationTime: .seconds(1)).value
    case .status: _ = try await file.stat().value
    case .read: _ = try await file.read(3, at: 0).value
    case .write: try await file.write("abc", at: 0).value
    case .close: try await file.close().value
    }
  }

  @Test(arguments: Call.allCases)
  func `A file operation for which there is no thread fails, and the next one finds one; a close needs none`(
    call: Call
  )
    async throws
  {
    guard test_faults_reach(FaultLayer.libuv) != 0 else { return }
    try await withLoopAndDirectory { loop, directory in
      let path = "\(directory)/file"
      try await loop.files.writeFile(path, "abc").value
      let file = try await loop.files.open(path, .readWrite).value
      var refused: UVError.Code?
      // The thread that was there before may come back late, and then do this, too.
      for _ in 0..<1000 where refused == nil {
        try await loop.settle()
        test_faults_arm(ENOMEM, FaultLayer.libuv, 1, 1, "uv_queue_work")
        refused = await code { () async throws(UVError) in try await make(call, loop, path, file) }
        _ = test_faults_disarm()
        if call == .close { break }
      }
      if call == .close {
        // That needs none.
        #expect(refused == nil && !openDescriptors().values.contains(path))
      } else {
        #expect(refused == .outOfMemory)
        try await make(call, loop, path, file)
        try await file.close().value
      }
    }
  }

  @Test
  func `A file operation for which there is no thread fails, though nothing else keeps its loop running`()
    async throws
  {
    guard test_faults_reach(FaultLayer.libuv) != 0 else { return }
    let log = Log<UVError.Code?>()
    try await withCallbackLoop { loop in
      test_faults_arm(ENOMEM, FaultLayer.libuv, 1, 1, "uv_queue_work")
      loop.files.stat("/") { log.append($0.error?.code) }
    }
    #expect(test_faults_disarm() == 1)
    #expect(log.values == [.outOfMemory])
  }
}
