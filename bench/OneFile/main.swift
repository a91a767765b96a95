import BenchHarness

// `uvbench` without this project's own workloads, and so without libuv and Foundation: one small file that judges programs of others.
// `bench/run --binary FILE` builds it.
BenchMain(
  name: "uvbench", abstract: "Tell when a server or a program got slower or costlier: `uvbench gate --help`.",
  workloads: []
).run()
