import UV

/// The type of a file by the end of its name.
enum MediaType {
  private static let types: [String: String] = [
    "avif": "image/avif", "css": "text/css; charset=utf-8", "csv": "text/csv; charset=utf-8",
    "gif": "image/gif", "gz": "application/gzip", "htm": "text/html; charset=utf-8",
    "html": "text/html; charset=utf-8", "ico": "image/x-icon", "jpeg": "image/jpeg", "jpg": "image/jpeg",
    "js": "text/javascript; charset=utf-8", "json": "application/json", "md": "text/markdown; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8", "mp3": "audio/mpeg", "mp4": "video/mp4", "ogg": "audio/ogg",
    "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml", "tar": "application/x-tar",
    "txt": "text/plain; charset=utf-8", "wasm": "application/wasm", "wav": "audio/wav", "webm": "video/webm",
    "webp": "image/webp", "woff2": "font/woff2", "xml": "application/xml", "zip": "application/zip",
  ]

  /// What isn't known is bytes, which a browser saves and doesn't show.
  static func of(_ path: FilePath) -> String {
    path.extension.flatMap { types[$0.lowercased()] } ?? "application/octet-stream"
  }
}
