import CUV

/// libuv's open directory, and the memory that its entries are read into. Everything that reads from it
/// retains it, so that it is closed when the last of them is done.
final class DirectoryStream {
  let raw: UnsafeMutablePointer<uv_dir_t>
  private let entries: UnsafeMutablePointer<uv_dirent_t>
  private var isClosed = false

  init(_ raw: UnsafeMutablePointer<uv_dir_t>, batchSize: Int) {
    self.raw = raw
    entries = .allocate(capacity: batchSize)
    entries.initialize(repeating: uv_dirent_t(), count: batchSize)
    raw.pointee.dirents = entries
    raw.pointee.nentries = batchSize
  }

  deinit {
    if !isClosed {
      // Without a callback libuv closes it at once, on the calling thread, and doesn't need the loop.
      let request = UnsafeMutablePointer<uv_fs_t>.allocate(capacity: 1)
      uv_fs_closedir(nil, request, raw, nil)
      uv_fs_req_cleanup(request)
      request.deallocate()
    }
    entries.deallocate()
  }

  /// The first `count` entries of the last read.
  func take(_ count: Int) -> [DirectoryEntry] {
    (0..<count).compactMap { index in
      guard let name = FilePath.Component(platformString: entries[index].name) else { return nil }
      return DirectoryEntry(name: name, type: FileType(entries[index].type))
    }
  }

  /// Notes that libuv has closed the directory, or will close it.
  func didClose() { isClosed = true }
}
