import BenchHarness
import CBenchSupport
import UV
import UVFutures
import UVPromises

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
