// Images out of tar archives: how a program adds a kind of source of its own.
//
//   let loader = LoaderGroup.standard.adding(TarLoader(roots: ["/srv/archives"]))
//   let pipeline = ImagePipeline(.init(loader: loader))
//   let url = try TarLoader.url(of: "holiday/a.jpg", in: "/srv/archives/photos.tar")
//   let photo = try await pipeline.image(for: url)
//
// A tour, file by file:
//
//   TarLoader        conforms to ImageLoading: which sources it takes, what it answers, and its errors
//   TarURL           tar:///srv/photos.tar#holiday/a.jpg, taken apart
//   TarReader        an actor with a thread of its own, because reading files blocks and tasks must not
//   TarBody          conforms to LoadBody.Producing: the bytes of an entry, a chunk for each call
//   TarFile          an open archive, inside the folders that may be read
//   TarIndex, TarScanner, TarHeader, PaxRecords, TarName
//                    the format: POSIX ustar and pax, GNU, and what was before them
//
// An archive is not trusted: sizes and offsets are checked against the file, counts against TarLimits.

public import CalotypeLoading
public import FoundationEssentials

/// Loads entries of tar archives, such as `tar:///srv/photos.tar#holiday/a.jpg`.
///
/// The path of the URL is the archive, its fragment the name of the entry, both percent-encoded; ``url(of:in:)`` makes
/// one. A leading `/` or `./` in names means nothing, and of entries of the same name the last one counts, as when they
/// are unpacked. Archives of the formats ustar, pax, GNU and v7 are read, compressed ones are not.
///
/// Nothing is unpacked: an archive is indexed once, and entries are read from where they stand. The index is made anew
/// when the file has changed.
///
/// ```swift
/// let loader = LoaderGroup.standard.adding(TarLoader(roots: ["/srv/archives"]))
/// ```
public struct TarLoader: ImageLoading {
  /// Folders whose archives may be read, whatever links say.
  public let roots: [String]
  /// The limits of an archive.
  public let limits: TarLimits
  private let reader = TarReader()

  /// A loader with a thread of its own, which reads one piece after the other.
  ///
  /// - Parameters:
  ///   - roots: Paths of folders. What counts is where an archive really is, after all symbolic links.
  ///   - limits: What an archive may cost.
  public init(roots: [String], limits: TarLimits = TarLimits()) {
    self.roots = roots
    self.limits = limits
  }

  /// The URL of an entry.
  ///
  /// - Parameters:
  ///   - entry: Its name in the archive.
  ///   - archive: Absolute path of the archive.
  /// - Throws: `LoadingError.invalidURL` for a path that is not absolute.
  public static func url(of entry: String, in archive: String) throws -> URL {
    var parts = URLComponents()
    parts.scheme = "tar"
    parts.host = ""
    parts.path = archive
    parts.fragment = entry
    guard archive.utf8.first == UInt8(ascii: "/"), let url = parts.url else {
      throw LoadingError.invalidURL(
        URL(filePath: archive), reason: "the path of an archive has to be absolute")
    }
    return url
  }

  /// Accepts `tar:` URLs.
  public func accepts(_ source: ImageSource) -> Bool {
    source.url?.scheme?.lowercased() == "tar"
  }

  /// Finds the entry, indexing the archive if that has not been done.
  ///
  /// - Throws: `LoadingError`: `invalidURL`, `fileNotFound` for the archive and for the entry, `outsideRoots`,
  ///   `notRegularFile` for folders, links and devices, `protocolError` for damaged archives and exceeded ``TarLimits``,
  ///   `fileUnreadable`, `tooLarge`, `unsupportedScheme`; the body throws `truncatedBody` when the archive shrinks while
  ///   it is read; `CancellationError`, also while an archive is indexed.
  public func load(_ request: LoadRequest) async throws -> LoadResponse {
    guard accepts(request.source), let url = request.source.url else {
      throw LoadingError.unsupportedScheme(request.source)
    }
    let target = try TarURL(url)
    let (file, entry) = try await reader.open(target, roots: roots, limits: limits)
    if let reason = entry.kind.refusal { throw LoadingError.notRegularFile(url, kind: reason) }
    guard entry.size <= request.byteLimit else {
      throw LoadingError.tooLarge(request.source, limit: request.byteLimit, declared: entry.size)
    }
    let body = TarBody(file, entry: entry, url: url, reader: reader)
    return LoadResponse(url: url, expectedLength: entry.size, body: LoadBody(body))
  }
}
