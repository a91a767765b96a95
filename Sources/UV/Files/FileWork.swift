import CUV

/// The work of `file.stat()`.
extension File: SharedWork {
  @usableFromInline
  package func start(_ argument: Int, _ done: GenericCompletion<FileStatus>) -> PendingRequest {
    stat(.requestedStatus(done))
  }
}

/// The work of `file.read(_:at:)`.
final class FileReading: SharedWork {
  private let file: File
  private let offset: Int64?

  init(_ file: File, at offset: Int64?) { (self.file, self.offset) = (file, offset) }

  var loop: EventLoop { file.loop }

  func start(_ count: Int, _ done: GenericCompletion<Bytes>) -> PendingRequest {
    file.read(count, at: offset, .requestedBytes(done))
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
