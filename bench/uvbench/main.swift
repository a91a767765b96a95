import BenchHarness
import BenchWorkloads

BenchMain(
  name: "uvbench", abstract: "What does each style of swift-uv cost beside plain C on the same libuv?",
  workloads: Workloads.all, quick: Workloads.quick, libraries: ["libuv": Workloads.libuvVersion],
  selftest: Workloads.selftest, peers: Workloads.ofPeers, scaling: Workloads.scaling,
  overload: Workloads.overload,
  checks: [GeneratorCheck.check, WaitsCheck.check],
  commands: [GenerateCommand.self, ServeHelloCommand.self, SoakCommand.self]
).run()
