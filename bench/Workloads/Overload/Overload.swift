import BenchHarness
import CBenchSupport
import UV
import UVFutures
import UVPromises

extension Workloads {
  /// One operation: a job for the thread pool of a quarter of a millisecond, and its answer: a request of 64 bytes, which comes back with
  /// the result. Under way: one on each of `connections`; in the open loop any number. The row: begins a job for each request, and answers
  /// when it has ended; if `limit` jobs are under way, answers at once, without a result.
  ///
  /// In the open loop a request is sent when it is due, whatever has come back, on one connection after the other. Each result is compared
  /// with that of the same job in the load generator, which knows 64 of them beforehand. Latencies are those of the answers with a result.
  /// The counts `in_time` (a result, at most 50 ms after it was due), `late` (a result, later) and `busy` (none) add up to the operations;
  /// the checksum doesn't depend on them. Loop and thread pool share a processor. A row has a block of memory for each job in C, and a task
  /// for each in async/await.
  ///
  /// For `run --overload`, which asks for more than a server can do.
  public static let overload: any Workload = ServerWorkload(
    name: "overload", summary: "a job of a quarter of a millisecond for the thread pool",
    note: "`run --overload` asks for more jobs than a server can do",
    parameters: [
      connections(50, "connections, each with one job under way in a closed loop"),
      Parameter("limit", 0, 64, in: 0...65_535, help: "jobs that may be under way; 0: any number"),
    ],
    load: .jobs,
    rows: Overload.rows(beside: "overload"))
}

/// `overload`: each request is a job for the thread pool, and is answered when that has ended; or at once,
/// without work, if too many are under way.
enum Overload: ServerRows {
  static let callback = TCPTaker.callback { service, loop in
    let jobs = Jobs(service)
    return { connection in
      let frames = Frames(of: Job.size, service)
      let written: Completion<Void> = { service.check($0, on: connection) }
      return { chunk in
        for job in frames.take(chunk).map(Job.init) {
          guard jobs.begin() else {
            connection.write(jobs.refuse(job), written)
            continue
          }
          loop.work(job.work) { result in
            switch result {
            case .success(let value): connection.write(jobs.end(job, value), written)
            case .failure(let error): service.fail(error, on: connection)
            }
          }
        }
      }
    }
  }

  static let promise = TCPTaker.promise { service, loop in
    let jobs = Jobs(service)
    return { connection in
      let frames = Frames(of: Job.size, service)
      func answer(_ job: Job) -> Promise<Void> {
        guard jobs.begin() else { return connection.write(jobs.refuse(job)).promise() }
        return loop.work(job.work).promise().then { connection.write(jobs.end(job, $0)).promise() }
      }
      return { chunk in
        for job in frames.take(chunk).map(Job.init) { answer(job).catch { service.fail($0, on: connection) } }
      }
    }
  }

  static let future = TCPTaker.future { service, loop in
    let jobs = Jobs(service)
    return { connection in
      let frames = Frames(of: Job.size, service)
      func answer(_ job: Job) -> AnyPublisher<Void, UVError> {
        guard jobs.begin() else {
          return connection.write(jobs.refuse(job)).publisher().eraseToAnyPublisher()
        }
        return loop.work(job.work).publisher()
          .flatMap { connection.write(jobs.end(job, $0)).publisher() }
          .eraseToAnyPublisher()
      }
      return { chunks in
        chunks.flatMap { frames.take($0).map(Job.init).publisher.setFailureType(to: UVError.self) }
          .flatMap(answer).eraseToAnyPublisher()
      }
    }
  }

  static let async = TCPTaker.async { service, loop in
    let jobs = Jobs(service)
    return { connection in
      let frames = Frames(of: Job.size, service)
      return { chunk throws(UVError) in
        for job in frames.take(chunk).map(Job.init) {
          guard jobs.begin() else {
            try await connection.write(jobs.refuse(job)).value
            continue
          }
          loop.spawn {
            do throws(UVError) {
              let value = try await loop.work(job.work).value
              try await connection.write(jobs.end(job, value)).value
            } catch { service.fail(error, on: connection) }
          }
        }
      }
    }
  }
}

/// A request for a job.
private struct Job {
  static let size = Int(BENCH_JOB)

  /// The request, which comes back as the answer, but for its last eight bytes.
  let request: Bytes

  /// The work itself.
  var work: @Sendable () -> UInt64 {
    let value = request.littleEndian(UInt64.self, at: Self.size - 8)
    return { bench_job_do(value) }
  }

  /// What is written when it has ended with `value`.
  func answer(_ value: UInt64) -> Bytes {
    var answer = BytesBuilder(capacity: Self.size)
    answer.append(Bytes(request[..<(Self.size - 8)]))
    answer.append(littleEndian: value)
    return answer.takeBytes()
  }
}

/// The jobs of all connections.
private final class Jobs {
  private let limit: Int
  private let service: TCPService<TCPListener>
  private var underWay = 0

  /// At most so many of them are under way as the task says.
  init(_ service: TCPService<TCPListener>) {
    limit = service.limit
    self.service = service
  }

  /// Whether one more may begin; it has then begun.
  func begin() -> Bool {
    guard limit == 0 || underWay < limit else { return false }
    underWay += 1
    return true
  }

  /// The answer to a job that has ended.
  func end(_ job: Job, _ value: UInt64) -> Bytes {
    underWay -= 1
    service.bytesWritten += Job.size
    return job.answer(value)
  }

  /// The answer to a job that never began.
  func refuse(_ job: Job) -> Bytes {
    service.bytesWritten += Job.size
    return job.answer(UInt64(BENCH_JOB_BUSY))
  }
}
