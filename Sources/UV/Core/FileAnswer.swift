import CUV

/// Who waits for a file operation, and what its answer becomes for them.
///
/// The answers that most operations have are kept as they came, so that they cost no closure of ours.
enum FileAnswer {
  case void(Completion<Void>)
  case status(Completion<FileStatus>)
  /// A file opened by a path.
  case file(any PathConvertible, Completion<File>)
  /// What has been read into the request's bytes.
  case bytes(Completion<Bytes>)
  case other(_ succeed: (FileRequest) -> Void, _ fail: (UVError) -> Void, _ release: (FileRequest) -> Void)

  /// Any other answer: `convert` makes it of a request that has succeeded. If the request has been cancelled in the
  /// meantime, what it makes is let go at once.
  static func converting<Success>(
    _ convert: @escaping (FileRequest) -> Success, _ done: @escaping Completion<Success>
  ) -> FileAnswer {
    .other({ done(.success(convert($0))) }, { done(.failure($0)) }, { _ = convert($0) })
  }

  /// The same for a file or directory whose name only the answer tells: without it, nobody could remove that.
  static func temporary<Success>(
    _ convert: @escaping (FileRequest) -> Success, _ done: @escaping Completion<Success>,
    remove: @escaping (UnsafePointer<CChar>) -> Int32
  ) -> FileAnswer {
    .other({ done(.success(convert($0))) }, { done(.failure($0)) }) { request in
      _ = convert(request)
      _ = remove(request.request.pointee.path)
    }
  }

  func succeed(from request: FileRequest) {
    switch self {
    case .void(let done): done(.success(()))
    case .status(let done): done(.success(FileStatus(request.request.pointee.statbuf)))
    case .file(let path, let done): done(.success(request.file(openedBy: path)))
    case .bytes(let done): done(.success(request.bytesRead))
    case .other(let succeed, _, _): succeed(request)
    }
  }

  func fail(_ error: UVError) {
    switch self {
    case .void(let done): done(.failure(error))
    case .status(let done): done(.failure(error))
    case .file(_, let done): done(.failure(error))
    case .bytes(let done): done(.failure(error))
    case .other(_, let fail, _): fail(error)
    }
  }

  /// Releases what a request obtained that was cancelled and has finished all the same.
  func release(from request: FileRequest) {
    switch self {
    case .void, .status, .bytes: break
    case .file(let path, _): _ = request.file(openedBy: path)
    case .other(_, _, let release): release(request)
    }
  }
}

extension FileRequest {
  fileprivate var bytesRead: Bytes {
    let room = bytes!
    return Bytes(storage: room.storage, start: room.start, count: request.pointee.result)
  }

  fileprivate func file(openedBy path: any PathConvertible) -> File {
    File(loop: loop, path: path, descriptor: Int32(request.pointee.result))
  }
}
