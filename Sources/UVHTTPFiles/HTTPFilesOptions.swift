#if HTTP || Everything
import UV
import UVHTTP

/// How an ``HTTPFiles`` serves its files.
public struct HTTPFilesOptions: Sendable {
  /// The media type of a file, by the part of its name behind the last dot, in lower case. Those that are common on the
  /// web by default; others are `application/octet-stream`, which a browser saves and doesn't show.
  ///
  /// ```swift
  /// options.mediaTypes["stl"] = "model/stl"
  /// ```
  public var mediaTypes = MediaTypes.common

  /// Whether `ETag` is weak (`W/"…"`); false by default.
  ///
  /// A tag is made of the time of the file's last change, to the nanosecond, and of its size. If your files may change
  /// without either, as where a file system keeps whole seconds, say that tags are weak: a download that was cut off
  /// then begins anew.
  public var tagsAreWeak = false

  /// The names of a directory's page, the best first; `index.html` by default. Without names, directories have no page.
  public var indexPages = ["index.html"]

  /// Whether a directory that has no page is listed; false by default, and it is answered with 404 (Not Found). The
  /// directory is read anew for each answer, whole.
  public var listsDirectories = false

  /// The codings of which a file may have a version beside it: `br` (`page.html.br`), `zstd` (`.zst`) and `gzip` (`.gz`),
  /// the one that the server likes best first; none by default. Other names aren't known, and mean nothing.
  ///
  /// The client gets the version that it likes best. One that is older than its file, to the second, isn't used: it was
  /// forgotten when the file changed.
  ///
  /// RFC 9110, 12.5.3, says how a client likes codings.
  public var contentCodings: [String] = []

  /// The value of `Cache-Control` for a file; nil for none, which is the default.
  ///
  /// ```swift
  /// options.cacheControl = { $0.starts(with: "assets") ? "max-age=31536000, immutable" : "no-cache" }
  /// ```
  ///
  /// Its argument is the file's path below the root, such as `assets/app.js`. It is called on the loop's thread, when the
  /// file is looked at.
  public var cacheControl: @Sendable (FilePath) -> String? = { _ in nil }

  /// The page to serve in place of a file that isn't there; nil for a line of text with 404 (Not Found), which is the
  /// default. Its page is a path below the root.
  ///
  /// ```swift
  /// options.fallback = ("404.html", .notFound)  // a page of your own
  /// options.fallback = ("index.html", .ok)      // an application that finds its way in the browser
  /// ```
  public var fallback: (page: String, status: HTTPResponse.Status)?

  /// How many bytes of files are kept in memory on each loop, 0 or more; 16 MiB by default. The file that was
  /// asked for longest ago goes first.
  public var memory = 16 << 20

  /// The size of the largest file that is kept in memory, in bytes, 0 or more; 64 KiB by default. The bytes of larger ones
  /// go from the file to the connection inside the system.
  public var largestInMemory = 64 << 10

  /// Creates the default options.
  public init() {}
}
#endif
