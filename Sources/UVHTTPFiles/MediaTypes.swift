#if HTTP || Everything
/// The types of files, by the ends of their names.
enum MediaTypes {
  /// What isn't known is bytes, which a browser saves and doesn't show.
  static let unknown = "application/octet-stream"

  /// Those that are common on the web. Text says that it is UTF-8: a browser may not guess.
  static let common: [String: String] = {
    var types = others
    for (type, names) in texts { for name in names { types[name] = "\(type); charset=utf-8" } }
    return types
  }()

  private static let texts = [
    "text/calendar": ["ics"], "text/css": ["css"], "text/csv": ["csv"], "text/html": ["html", "htm"],
    "text/javascript": ["js", "mjs"], "text/markdown": ["md", "markdown"],
    "text/plain": ["txt", "text", "log", "conf", "yaml", "yml", "toml"], "text/vtt": ["vtt"],
  ]

  private static let others = [
    // Documents and data.
    "atom": "application/atom+xml", "epub": "application/epub+zip", "json": "application/json",
    "jsonld": "application/ld+json", "map": "application/json", "pdf": "application/pdf",
    "rss": "application/rss+xml", "rtf": "application/rtf", "wasm": "application/wasm",
    "webmanifest": "application/manifest+json", "xhtml": "application/xhtml+xml", "xml": "application/xml",
    // Images.
    "apng": "image/apng", "avif": "image/avif", "bmp": "image/bmp", "gif": "image/gif", "ico": "image/x-icon",
    "jpeg": "image/jpeg", "jpg": "image/jpeg", "jxl": "image/jxl", "png": "image/png", "svg": "image/svg+xml",
    "tif": "image/tiff", "tiff": "image/tiff", "webp": "image/webp",
    // Sound and film.
    "aac": "audio/aac", "flac": "audio/flac", "m3u8": "application/vnd.apple.mpegurl", "m4a": "audio/mp4",
    "m4v": "video/mp4", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
    "mpd": "application/dash+xml", "mpeg": "video/mpeg", "oga": "audio/ogg", "ogg": "audio/ogg",
    "ogv": "video/ogg", "opus": "audio/ogg", "ts": "video/mp2t", "wav": "audio/wav", "weba": "audio/webm",
    "webm": "video/webm",
    // Fonts.
    "otf": "font/otf", "ttf": "font/ttf", "woff": "font/woff", "woff2": "font/woff2",
    // Archives.
    "7z": "application/x-7z-compressed", "bz2": "application/x-bzip2", "gz": "application/gzip",
    "tar": "application/x-tar", "xz": "application/x-xz", "zip": "application/zip", "zst": "application/zstd",
  ]
}
#endif
