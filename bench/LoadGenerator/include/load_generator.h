/// The other side of the workloads with a server: plain epoll, in a process of its own, the
/// same for every row. It sends seeded bytes, checks what comes back, and takes the
/// latency of every request.
#pragma once

/// The program. `argv` is `[name, parent process id, host]`; without a host the server is on this machine. It reads one line per run on
/// standard input and answers on standard output:
///
///     run mode=echo port=7000 connections=50 size=64 operations=1000 warmup=100 seed=1 cpu=1
///     → ready          connected, warmed up; the clock of the measured side may start
///     go
///     → done operations=1000 checksum=… latencies=<ns>:<count>,…
///     end              the clock has stopped; connections may be closed
///
/// or `error <sentence>` at any point. `mode` is `echo`, `turns`, `http`, `http-turns`, `resp`, `fan-out`, `jobs`, `accept` or `stream`.
/// `rate=R` sends R requests a second whatever comes back (`poisson=1` for random
/// arrivals); `latencies` then count from the intended start, and `service=` from
/// the actual one. With `silent=1` no latencies are listed. A mode may add counts of its own, such as `late=`. `cpu` is the
/// processor to run on, or -1. `tls=1` has it speak TLS, and `resumes=1` resume the session of an
/// earlier connection in each handshake. `transport=udp` has it send datagrams, and one without bytes at the end of each
/// connection. `foreign=1` says that the server is not one of the benchmark's; in the mode `http` then `target=` and
/// `authority=` say what to ask for, and `done` has the least and the most of the answers' status, length and digest
/// (`status_low=`, `status_high=`, …). `path=`, which comes last, has it connect to a socket of the Unix domain. It ends with standard input, or with its parent.
int load_generator_main(int argc, char **argv);

/// Writes a certificate and its key to a file, for servers that the program speaks TLS with: ECDSA on P-256 for 256
/// `bits`, else RSA. Zero where that worked.
int load_generator_write_identity(const char *path, unsigned bits);
