// A workload of one's own, and the whole of `uvbench` for it: this file is a program.

import BenchHarness

struct Hashing: Workload {
  let name = "hashing"
  let summary = "a hash of so many bytes"
  let parameters = [Parameter("size", 64, 4096, in: 1...1_000_000_000, help: "bytes to hash")]
  let styles: [Style] = [.c, .callback]

  func makeInstance(
    style: Style, parameters: ParameterValues, context: WorkloadContext
  ) -> any WorkloadInstance {
    ClosureInstance { request in
      let bytes = [UInt8](repeating: 7, count: parameters["size"])
      var checksum = request.seed
      request.meter.open()
      for _ in 0..<request.operations {
        for byte in bytes { checksum = (checksum ^ UInt64(byte)) &* 0x100_0000_01b3 }
      }
      request.meter.close()
      return RunOutcome(operations: request.operations, checksum: checksum)
    }
  }
}

BenchMain(name: "bench-example", workloads: [Hashing()]).run()
