import CUV

/// The completion that waits for a file operation, and how the answer becomes its value.
///
/// The most frequent answers have cases of their own, so that they need no closure here.
enum FileAnswer {
  case void(Completion<Void>)
  case status(Completion<FileStatus>)
  /// A file opened by a path.
  case file(FileName, isReadOnly: Bool, Completion<File>)
  /// The bytes that have been read.
  case bytes(Completion<Bytes>)
  case other(_ succeed: (FileRequest) -> Void, _ fail: (UVError) -> Void, _ release: (FileRequest) -> Void)

  /// Any other answer: `convert` makes the value from a request that has succeeded. If the request has been
  /// cancelled meanwhile, the value is made and dropped at once.
  static func converting<Success>(
    _ convert: @escaping (FileRequest) -> Success, _ done: @escaping Completion<Success>
  ) -> FileAnswer {
    .other({ done(.success(convert($0))) }, { done(.failure($0)) }, { _ = convert($0) })
  }

  /// The same for a file or directory whose name only the answer tells. If the request has been cancelled
  /// meanwhile, `remove` removes it, because nobody else could.
  static func temporary<Success>(
    _ convert: @escaping (FileRequest) -> Success, _ done: @escaping Completion<Success>,
    remove: @escaping (UnsafePointer<CChar>) -> Int32
  ) -> FileAnswer {
    .other({ done(.success(convert($0))) }, { done(.failure($0)) }) { request in
      _ = convert(request)
      _ = remove(request.request.pointee.path)
    }
  }

  /// Tells the answer of a request that has succeeded, and recycles the request.
  func succeed(from request: FileRequest) {
    switch self {
    case .void(let done):
      request.recycle()
      done(.success(()))
    case .status(let done):
      let status = FileStatus(request.request.pointee.statbuf)
      request.recycle()
      done(.success(status))
    case .file(let name, let isReadOnly, let done):
      let file = request.file(openedBy: name, isReadOnly: isReadOnly)
      request.recycle()
      done(.success(file))
    case .bytes(let done):
      let bytes = request.bytesRead
      request.recycle()
      done(.success(bytes))
    case .other(let succeed, _, _):
      succeed(request)
      request.recycle()
    }
  }

  func fail(_ error: UVError) {
    switch self {
    case .void(let done): done(.failure(error))
    case .status(let done): done(.failure(error))
    case .file(_, _, let done): done(.failure(error))
    case .bytes(let done): done(.failure(error))
    case .other(_, let fail, _): fail(error)
    }
  }

  /// Releases what a cancelled request obtained, because it finished all the same.
  func release(from request: FileRequest) {
    switch self {
    case .void, .status, .bytes: break
    case .file(let name, let isReadOnly, _): _ = request.file(openedBy: name, isReadOnly: isReadOnly)
    case .other(_, _, let release): release(request)
    }
  }
}

extension FileRequest {
  fileprivate var bytesRead: Bytes {
    let room = bytes!
    return Bytes(storage: room.storage, start: room.start, count: request.pointee.result)
  }

  fileprivate func file(openedBy name: FileName, isReadOnly: Bool) -> File {
    File(
      loop: loop, name: name, descriptor: Int32(request.pointee.result), isReadOnly: isReadOnly)
  }
}
