import CUV

/// The counts of a request on a tree of files. Make one, hand it to the request, and read it while that
/// is under way, on any thread:
///
/// ```swift
/// let progress = FileTreeProgress()
/// let copying = loop.files.copytree("photos", to: "backup", progress: progress)
/// let showing = loop.timer(every: .milliseconds(200)) { _ in print(progress.files, "files") }
/// ```
public final class FileTreeProgress: Sendable {
  // Sound: the memory is the object's, and its numbers change atomically. A request that changes them keeps the object.
  nonisolated(unsafe) let counters: UnsafeMutablePointer<cuv_tree_progress>

  /// Nothing is done yet. Several requests may add to one object.
  public init() {
    counters = .allocate(capacity: 1)
    counters.initialize(to: cuv_tree_progress())
  }

  deinit { counters.deallocate() }

  /// How many files and symbolic links were removed or copied.
  public var files: Int { Int(cuv_tree_count(&counters.pointee.files)) }
  /// How many folders were removed or copied, each counted when all in it was.
  public var folders: Int { Int(cuv_tree_count(&counters.pointee.folders)) }
  /// How many bytes the copied files have.
  public var bytes: Int { Int(cuv_tree_count(&counters.pointee.bytes)) }
}

/// Folders with all that is in them. Each request is one job of the thread pool: it has a thread for as long as it
/// takes, and a request for each file would take several times as long.
///
/// No symbolic link in a tree is followed. A tree may be 256 levels deep; a deeper one fails with `nameTooLong`. An
/// error's ``UVError/subject`` is the path at which the request has failed. A request that fails or is cancelled
/// undoes nothing.
extension FileSystem {
  /// Makes a folder, and those that lead to it. One that is there already is no failure.
  ///
  /// - Parameters:
  ///   - path: The folder to make.
  ///   - permissions: Its permissions, and those of the others that are made. The process's mask is subtracted
  ///     from them.
  /// - Returns: A request that ends when the folder is there. It fails with `notDirectory` if something else is.
  ///
  /// The corresponding libuv functions are `uv_queue_work` and `uv_fs_mkdir`.
  public func makedirs(
    _ path: some PathConvertible, permissions: FilePermissions = .ownerAllOthersReadExecute
  ) -> Request<Void> {
    Request(of: loop) { makedirs(path, permissions: permissions, $0) }
  }

  /// Makes a folder, and those that lead to it; see ``makedirs(_:permissions:)``.
  ///
  /// The corresponding libuv functions are `uv_queue_work` and `uv_fs_mkdir`.
  @discardableResult
  public func makedirs(
    _ path: some PathConvertible, permissions: FilePermissions = .ownerAllOthersReadExecute,
    _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    let job = TreeJob(loop, "makedirs", path, CUV_JOB_MAKE_FOLDERS, nil, done)
    job.job.pointee.mode = Int32(truncatingIfNeeded: permissions.rawValue)
    return job.start()
  }

  /// Removes a file, or a folder with all that is in it.
  ///
  /// - Parameters:
  ///   - path: What to remove. A symbolic link is removed, and not what it names.
  ///   - progress: Where to count what is removed.
  /// - Returns: A request that ends when nothing is left. It fails with `noSuchFile` if there is nothing, and with
  ///   `invalidArgument` for `/`, `.` and `..`. A file that somebody else removes meanwhile is no failure. If somebody
  ///   adds to a folder again and again, it fails with `directoryNotEmpty`.
  ///
  /// The corresponding libuv functions are `uv_queue_work`, `uv_fs_unlink` and `uv_fs_rmdir`.
  public func rmtree(_ path: some PathConvertible, progress: FileTreeProgress? = nil) -> Request<Void> {
    Request(of: loop) { rmtree(path, progress: progress, $0) }
  }

  /// Removes a file, or a folder with all that is in it; see ``rmtree(_:progress:)``.
  ///
  /// The corresponding libuv functions are `uv_queue_work`, `uv_fs_unlink` and `uv_fs_rmdir`.
  @discardableResult
  public func rmtree(
    _ path: some PathConvertible, progress: FileTreeProgress? = nil, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    TreeJob(loop, "rmtree", path, CUV_JOB_REMOVE_TREE, progress, done).start()
  }

  /// Copies a file, or a folder with all that is in it, and the permissions.
  ///
  /// Symbolic links are copied as they are. A program that runs as its owner or its group (set-user-ID) does so only if the
  /// copy has the same one. A folder that is at `destination` already gets the copies beside what it
  /// has; files with the same name are replaced.
  ///
  /// - Parameters:
  ///   - path: What to copy.
  ///   - destination: The copy's path, not the folder to put it in.
  ///   - options: With `exclusive`, the request fails with `fileExists` if there is something at `destination`.
  ///   - progress: Where to count what is copied.
  /// - Returns: A request that ends when the copy is complete. A file that is half copied is removed. It fails with
  ///   `invalidArgument` if `destination` is in the folder that is copied, and for a FIFO, a socket or a device.
  ///
  /// The corresponding libuv functions are `uv_queue_work` and `uv_fs_copyfile`.
  public func copytree(
    _ path: some PathConvertible, to destination: some PathConvertible, options: CopyOptions = [],
    progress: FileTreeProgress? = nil
  ) -> Request<Void> {
    Request(of: loop) { copytree(path, to: destination, options: options, progress: progress, $0) }
  }

  /// Copies a file, or a folder with all that is in it; see ``copytree(_:to:options:progress:)``.
  ///
  /// The corresponding libuv functions are `uv_queue_work` and `uv_fs_copyfile`.
  @discardableResult
  public func copytree(
    _ path: some PathConvertible, to destination: some PathConvertible, options: CopyOptions = [],
    progress: FileTreeProgress? = nil, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    let job = TreeJob(loop, "copytree", path, to: destination, CUV_JOB_COPY_TREE, progress, done)
    job.job.pointee.mode = options.rawValue
    return job.start()
  }

  /// Gives a file or a folder another path, which may be in another file system.
  ///
  /// Within one file system this is `rename`. Otherwise it is copied with its times, and then the original is
  /// removed.
  ///
  /// - Parameters:
  ///   - path: What to move.
  ///   - destination: Its new path, not the folder to put it in. A file that is there is replaced, and so is an empty
  ///     folder by a folder; not before a copy is complete. If both are names of one file, nothing changes.
  ///   - progress: Where to count what is copied; nothing is within one file system.
  /// - Returns: A request that ends when everything is at `destination`. If it fails or is cancelled before, the
  ///   original is complete, no copy is left, and `destination` is as it was. It fails with `directoryNotEmpty` for a folder that isn't empty.
  ///
  /// The corresponding libuv functions are `uv_queue_work` and `uv_fs_rename`.
  public func move(
    _ path: some PathConvertible, to destination: some PathConvertible, progress: FileTreeProgress? = nil
  ) -> Request<Void> {
    Request(of: loop) { move(path, to: destination, progress: progress, $0) }
  }

  /// Gives a file or a folder another path; see ``move(_:to:progress:)``.
  ///
  /// The corresponding libuv functions are `uv_queue_work` and `uv_fs_rename`.
  @discardableResult
  public func move(
    _ path: some PathConvertible, to destination: some PathConvertible, progress: FileTreeProgress? = nil,
    _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    TreeJob(loop, "move", path, to: destination, CUV_JOB_MOVE, progress, done).start()
  }
}

/// A job on a tree of files. Its steps are in `CModules/CUV/trees.c` and `tree_copies.c`.
private final class TreeJob: WholeFileJob<Void> {
  /// The job counts there.
  private let progress: FileTreeProgress?

  init<Target: PathConvertible>(
    _ loop: EventLoop, _ operation: String, _ path: some PathConvertible, to target: Target?,
    _ kind: cuv_job_kind, _ progress: FileTreeProgress?, _ done: @escaping Completion<Void>
  ) {
    self.progress = progress
    super.init(loop, operation, path, to: target, nil, { _ in }, done)
    job.pointee.kind = kind
    job.pointee.progress = progress?.counters
  }

  convenience init(
    _ loop: EventLoop, _ operation: String, _ path: some PathConvertible, _ kind: cuv_job_kind,
    _ progress: FileTreeProgress?, _ done: @escaping Completion<Void>
  ) {
    self.init(loop, operation, path, to: String?.none, kind, progress, done)
  }
}
