import CUV

/// Files and directories on a loop. Each operation runs on libuv's thread pool, and its answer arrives on the
/// loop's thread.
///
/// A path is a `String` or a `FilePath`. Every operation fails with the error that the system reports, such
/// as `noSuchFile`, `permissionDenied` or `notDirectory`. It fails with `invalidArgument` if a path has a NUL
/// in it.
public struct FileSystem {
  @usableFromInline let loop: EventLoop

  // MARK: Opening

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - mode: Whether to read, write or both.
  ///   - options: `.create`, `.exclusiveCreate`, `.truncate`, `.append`, … Child processes never inherit the
  ///     descriptor.
  ///   - permissions: The permissions of a file that is created. The process's mask is subtracted from them.
  /// - Returns: A request for the open file. It fails with `invalidArgument` for a FIFO and a socket, unless the
  ///   options say `.nonBlocking`: a thread that waits for the other end can't be stopped. A device is opened
  ///   without waiting, and a read or write that would wait fails with `wouldBlock`.
  ///
  /// The corresponding libuv function is `uv_fs_open`.
  @inlinable
  public func open(
    _ path: some PathConvertible, _ mode: FileDescriptor.AccessMode = .readOnly,
    options: FileDescriptor.OpenOptions = [], permissions: FilePermissions = .ownerReadWriteOthersRead
  ) -> Request<File> {
    opening(FileName(path), mode, options, permissions)
  }

  /// Opens a file; see ``open(_:_:options:permissions:)``.
  ///
  /// The corresponding libuv function is `uv_fs_open`.
  @inlinable
  @discardableResult
  public func open(
    _ path: some PathConvertible, _ mode: FileDescriptor.AccessMode = .readOnly,
    options: FileDescriptor.OpenOptions = [], permissions: FilePermissions = .ownerReadWriteOthersRead,
    _ done: @escaping Completion<File>
  ) -> PendingRequest {
    open(FileName(path), mode, options, permissions, done)
  }

  @usableFromInline
  func opening(
    _ name: FileName, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions,
    _ permissions: FilePermissions
  ) -> Request<File> {
    Request(
      FileOpening(loop, name, mode, options, permissions), operation: "open(_:_:options:permissions:)")
  }

  @usableFromInline
  func open(
    _ name: FileName, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions,
    _ permissions: FilePermissions, _ done: @escaping Completion<File>
  ) -> PendingRequest {
    open(name, mode, options, permissions, .file(name, isReadOnly: mode == .readOnly, done))
  }

  func open(
    _ name: FileName, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions,
    _ permissions: FilePermissions, _ answer: FileAnswer
  ) -> PendingRequest {
    name.withPathBytes {
      FileRequest.queue(
        CUV_FILE_OPEN, loop, "fs_open", path: $0, flags: mode.rawValue | options.rawValue,
        mode: Int32(truncatingIfNeeded: permissions.rawValue), answer)
    }
  }

  /// Takes over a descriptor of an open file or device. The descriptor is closed with the file. If this
  /// function throws, it still belongs to the caller.
  ///
  /// The file's path is then that of the descriptor, such as `/dev/fd/5`.
  ///
  /// - Parameter fileDescriptor: The descriptor to take over. It must be open for whatever you do with the
  ///   file.
  /// - Throws: `badDescriptor` if the descriptor isn't open, and `invalidArgument` for a pipe, a socket or a
  ///   terminal. A read of those may wait for ever, and a thread of the pool with it: use
  ///   ``Pipes/open(fileDescriptor:passesHandles:)``, ``TCP/open(fileDescriptor:)`` or ``EventLoop/tty(_:)``.
  ///   It throws `loopClosed` if the loop has ended.
  public func open(fileDescriptor: Int32) throws(UVError) -> File {
    let subject = "descriptor \(fileDescriptor)"
    if loop.isClosed { throw UVError(.loopClosed, operation: "open", subject: subject) }
    let flags = cuv_open_flags(fileDescriptor)
    try check(flags, "open", subject)
    switch HandleType(guessing: fileDescriptor) {
    case .file, .unknown: break
    case let type:
      throw UVError(.invalidArgument, operation: "open", subject: "\(subject) (\(type), not file)")
    }
    return File(
      loop: loop, name: .string("/dev/fd/\(fileDescriptor)"), descriptor: fileDescriptor,
      isReadOnly: flags & O_ACCMODE == O_RDONLY)
  }

  // MARK: Status

  /// The size, times, owner and permissions of a file. A symbolic link is followed.
  ///
  /// The corresponding libuv function is `uv_fs_stat`.
  public func stat(_ path: some PathConvertible) -> Request<FileStatus> {
    Request(of: loop) { stat(path, $0) }
  }

  /// The status of a file; see ``stat(_:)``.
  ///
  /// The corresponding libuv function is `uv_fs_stat`.
  @discardableResult
  public func stat(_ path: some PathConvertible, _ done: @escaping Completion<FileStatus>) -> PendingRequest {
    path.withPathBytes { FileRequest.queue(CUV_FILE_STAT, loop, "fs_stat", path: $0, .status(done)) }
  }

  /// The size, times, owner and permissions of a file, or of a symbolic link itself.
  ///
  /// The corresponding libuv function is `uv_fs_lstat`.
  public func lstat(_ path: some PathConvertible) -> Request<FileStatus> {
    Request(of: loop) { lstat(path, $0) }
  }

  /// The status of a file or link; see ``lstat(_:)``.
  ///
  /// The corresponding libuv function is `uv_fs_lstat`.
  @discardableResult
  public func lstat(_ path: some PathConvertible, _ done: @escaping Completion<FileStatus>) -> PendingRequest
  {
    path.withPathBytes { FileRequest.queue(CUV_FILE_LSTAT, loop, "fs_lstat", path: $0, .status(done)) }
  }

  // MARK: Names

  /// Removes a file's name. The file itself goes when its last name is removed.
  ///
  /// - Parameter path: The name to remove.
  ///
  /// The corresponding libuv function is `uv_fs_unlink`.
  public func unlink(_ path: some PathConvertible) -> Request<Void> { Request(of: loop) { unlink(path, $0) } }

  /// Removes a file's name; see ``unlink(_:)``.
  ///
  /// The corresponding libuv function is `uv_fs_unlink`.
  @discardableResult
  public func unlink(_ path: some PathConvertible, _ done: @escaping Completion<Void>) -> PendingRequest {
    FileRequest.start(loop, "fs_unlink", path: path, .void(done)) {
      uv_fs_unlink(loop.raw, $1, $0, $2)
    }
  }

  /// Gives a file another name, in one step. If another file has that name, it is replaced.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - newPath: The new name, on the same file system.
  ///
  /// The corresponding libuv function is `uv_fs_rename`.
  public func rename(_ path: some PathConvertible, to newPath: some PathConvertible) -> Request<Void> {
    Request(of: loop) { rename(path, to: newPath, $0) }
  }

  /// Gives a file another name; see ``rename(_:to:)``.
  ///
  /// The corresponding libuv function is `uv_fs_rename`.
  @discardableResult
  public func rename(
    _ path: some PathConvertible, to newPath: some PathConvertible, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    FileRequest.start(loop, "fs_rename", path: path, .void(done)) { path, request, done in
      newPath.withPathBytes { newPath in
        newPath.map { uv_fs_rename(loop.raw, request, path, $0, done) } ?? UV_EINVAL.rawValue
      }
    }
  }

  // MARK: Directories

  /// Makes a directory.
  ///
  /// - Parameters:
  ///   - path: The directory to make.
  ///   - permissions: Its permissions. The process's mask is subtracted from them.
  /// - Returns: A request that fails with `fileExists` if the path exists already, and otherwise with the
  ///   system's error.
  ///
  /// The corresponding libuv function is `uv_fs_mkdir`.
  public func mkdir(
    _ path: some PathConvertible, permissions: FilePermissions = .ownerAllOthersReadExecute
  ) -> Request<Void> {
    Request(of: loop) { mkdir(path, permissions: permissions, $0) }
  }

  /// Makes a directory; see ``mkdir(_:permissions:)``.
  ///
  /// The corresponding libuv function is `uv_fs_mkdir`.
  @discardableResult
  public func mkdir(
    _ path: some PathConvertible, permissions: FilePermissions = .ownerAllOthersReadExecute,
    _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    FileRequest.start(loop, "fs_mkdir", path: path, .void(done)) {
      uv_fs_mkdir(loop.raw, $1, $0, Int32(truncatingIfNeeded: permissions.rawValue), $2)
    }
  }

  /// Makes a directory with a name that no other file has.
  ///
  /// - Parameter template: The directory's path. Its last six characters must be `XXXXXX`; they are replaced.
  /// - Returns: A request for the directory's path.
  ///
  /// The corresponding libuv function is `uv_fs_mkdtemp`.
  public func mkdtemp(_ template: some PathConvertible) -> Request<FilePath> {
    Request(of: loop) { mkdtemp(template, $0) }
  }

  /// Makes a directory with a name that no other file has; see ``mkdtemp(_:)``.
  ///
  /// The corresponding libuv function is `uv_fs_mkdtemp`.
  @discardableResult
  public func mkdtemp(_ template: some PathConvertible, _ done: @escaping Completion<FilePath>)
    -> PendingRequest
  {
    FileRequest.start(
      loop, "fs_mkdtemp", path: template,
      .temporary(
        { FilePath(platformString: $0.request.pointee.path) }, done, remove: { CUV.rmdir($0) })
    ) {
      uv_fs_mkdtemp(loop.raw, $1, $0, $2)
    }
  }

  /// Removes an empty directory.
  ///
  /// - Parameter path: The directory.
  /// - Returns: A request that fails with `directoryNotEmpty` if there is something in it.
  ///
  /// The corresponding libuv function is `uv_fs_rmdir`.
  public func rmdir(_ path: some PathConvertible) -> Request<Void> { Request(of: loop) { rmdir(path, $0) } }

  /// Removes an empty directory; see ``rmdir(_:)``.
  ///
  /// The corresponding libuv function is `uv_fs_rmdir`.
  @discardableResult
  public func rmdir(_ path: some PathConvertible, _ done: @escaping Completion<Void>) -> PendingRequest {
    FileRequest.start(loop, "fs_rmdir", path: path, .void(done)) {
      uv_fs_rmdir(loop.raw, $1, $0, $2)
    }
  }

  /// The entries of a directory, sorted by the bytes of their names, without `.` and `..`.
  ///
  /// - Parameter path: A directory.
  /// - Returns: A request for all entries at once; to read a large directory, use ``opendir(_:batchSize:)``.
  ///
  /// The corresponding libuv functions are `uv_fs_scandir` and `uv_fs_scandir_next`.
  public func scandir(_ path: some PathConvertible) -> Request<[DirectoryEntry]> {
    Request(of: loop) { scandir(path, $0) }
  }

  /// The entries of a directory; see ``scandir(_:)``.
  ///
  /// The corresponding libuv functions are `uv_fs_scandir` and `uv_fs_scandir_next`.
  @discardableResult
  public func scandir(
    _ path: some PathConvertible, _ done: @escaping Completion<[DirectoryEntry]>
  ) -> PendingRequest {
    FileRequest.start(
      loop, "fs_scandir", path: path,
      .converting(
        { request in
          var entries: [DirectoryEntry] = []
          var entry = uv_dirent_t()
          while uv_fs_scandir_next(request.request, &entry) == 0 {
            guard let name = FilePath.Component(platformString: entry.name) else { continue }
            entries.append(DirectoryEntry(name: name, type: FileType(entry.type)))
          }
          return entries
        }, done)
    ) { uv_fs_scandir(loop.raw, $1, $0, 0, $2) }
  }
}

extension EventLoop {
  /// Files and directories on this loop.
  public var files: FileSystem { FileSystem(loop: self) }
}

extension FilePermissions {
  /// `0o644`: the owner reads and writes, everybody else reads.
  public static let ownerReadWriteOthersRead: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]

  /// `0o755`: the owner does all, everybody else reads and enters.
  public static let ownerAllOthersReadExecute: FilePermissions = [
    .ownerReadWriteExecute, .groupReadExecute, .otherReadExecute,
  ]
}
