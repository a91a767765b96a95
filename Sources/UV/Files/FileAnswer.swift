import CUV

/// The completion that waits for a file operation, and how the answer becomes its value.
///
/// The most frequent answers have cases of their own, so that they need no closure here: one for a completion that was
/// passed, and one for that of a request, which has another form.
enum FileAnswer {
  case void(Completion<Void>)
  case status(Completion<FileStatus>)
  case requestedStatus(GenericCompletion<FileStatus>)
  /// A file opened by a path.
  case file(FileName, isReadOnly: Bool, Completion<File>)
  case requestedFile(FileName, isReadOnly: Bool, GenericCompletion<File>)
  /// The bytes that have been read.
  case bytes(Completion<Bytes>)
  case requestedBytes(GenericCompletion<Bytes>)
  case other(_ succeed: (FileRequest) -> Void, _ fail: (UVError) -> Void, _ release: (FileRequest) -> Void)

  /// Any other answer: `convert` makes the value from a request that has succeeded. If the request has been
  /// cancelled meanwhile, the value is made and dropped at once.
  static func converting<Success>(
    _ convert: @escaping (FileRequest) -> Success, _ done: @escaping Completion<Success>
  ) -> FileAnswer {
    .other({ done(.success(convert($0))) }, { done(.failure($0)) }, { _ = convert($0) })
  }

  /// The same for a file or directory whose name only the answer has. If the request has been cancelled
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

  /// Reports the answer of a request that has succeeded, and recycles the request.
  func succeed(from request: FileRequest) {
    switch self {
    case .void(let done):
      request.recycle()
      done(.success(()))
    case .status(let done): done(.success(request.takeStatus()))
    case .requestedStatus(let done): done(.success(request.takeStatus()))
    case .file(let name, let isReadOnly, let done):
      done(.success(request.takeFile(openedBy: name, isReadOnly: isReadOnly)))
    case .requestedFile(let name, let isReadOnly, let done):
      done(.success(request.takeFile(openedBy: name, isReadOnly: isReadOnly)))
    case .bytes(let done): done(.success(request.takeBytes()))
    case .requestedBytes(let done): done(.success(request.takeBytes()))
    case .other(let succeed, _, _):
      succeed(request)
      request.recycle()
    }
  }

  func fail(_ error: UVError) {
    switch self {
    case .void(let done): done(.failure(error))
    case .status(let done): done(.failure(error))
    case .requestedStatus(let done): done(.failure(error))
    case .file(_, _, let done): done(.failure(error))
    case .requestedFile(_, _, let done): done(.failure(error))
    case .bytes(let done): done(.failure(error))
    case .requestedBytes(let done): done(.failure(error))
    case .other(_, let fail, _): fail(error)
    }
  }

  /// Releases what a cancelled request obtained, because it finished all the same.
  func release(from request: FileRequest) {
    switch self {
    case .void, .status, .requestedStatus, .bytes, .requestedBytes: break
    // A file that nobody has is closed.
    case .file, .requestedFile: _ = CUV.close(Int32(request.request.pointee.result))
    case .other(_, _, let release): release(request)
    }
  }
}

extension FileRequest {
  /// Each of these takes the answer out, and recycles the request.
  fileprivate func takeStatus() -> FileStatus {
    let status = FileStatus(request.pointee.statbuf)
    recycle()
    return status
  }

  fileprivate func takeBytes() -> Bytes {
    let room = bytes!
    let bytes = Bytes(storage: room.storage, start: room.start, count: request.pointee.result)
    recycle()
    return bytes
  }

  fileprivate func takeFile(openedBy name: FileName, isReadOnly: Bool) -> File {
    let file = File(loop: loop, name: name, descriptor: Int32(request.pointee.result), isReadOnly: isReadOnly)
    recycle()
    return file
  }
}

/// The work of `loop.files.open(…)`.
final class FileOpening: SharedWork {
  let loop: EventLoop
  private let name: FileName
  private let mode: FileDescriptor.AccessMode
  private let options: FileDescriptor.OpenOptions
  private let permissions: FilePermissions

  init(
    _ loop: EventLoop, _ name: FileName, _ mode: FileDescriptor.AccessMode,
    _ options: FileDescriptor.OpenOptions, _ permissions: FilePermissions
  ) {
    (self.loop, self.name, self.mode) = (loop, name, mode)
    (self.options, self.permissions) = (options, permissions)
  }

  func start(_ argument: Int, _ done: GenericCompletion<File>) -> PendingRequest {
    loop.files.open(
      name, mode, options, permissions, .requestedFile(name, isReadOnly: mode == .readOnly, done))
  }
}
