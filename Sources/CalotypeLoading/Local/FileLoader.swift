import CalotypeSupport
import FoundationEssentials
import Glibc

/// Loads `file:` URLs of regular files.
///
/// Folders, FIFOs, sockets and devices are refused without being read, so that they cannot block a load. The loader
/// opens and reads files on its own threads, a chunk at a time on demand.
///
/// ```swift
/// let loader = FileLoader(roots: ["/srv/images"])   // nothing outside, even through links
/// ```
public struct FileLoader: ImageLoading {
  /// Folders whose contents may be read; `nil` for no restriction.
  ///
  /// The real path of a file counts, after all symbolic links.
  public let roots: [String]?
  private let executor: WorkerExecutor

  /// One pool for all file loaders: more threads do not make a disk faster.
  private static let sharedExecutor = WorkerExecutor(name: "calotype-file", threads: 4)

  /// - Parameter roots: Paths of the folders to read, or `nil` for no restriction.
  public init(roots: [String]? = nil) {
    self.roots = roots
    executor = Self.sharedExecutor
  }

  /// Accepts `file:` URLs.
  public func accepts(_ source: ImageSource) -> Bool {
    source.scheme == "file"
  }

  /// The folders: a file that one loader may read is not found in a cache through another that may not.
  public var identity: String {
    roots.map { LoaderIdentity.text(["roots": "\($0.count) \(LoaderIdentity.text($0))"]) } ?? ""
  }

  /// Returns the version of the file, from its device, inode, size and times: results are cached until it changes.
  /// ``CachingRule/never`` if there is no regular file, or if it has changed within the last 20 ms.
  ///
  /// Asks the file system, without reading the file; on a network file system, that may wait for its server.
  public func cachingRule(for source: ImageSource) -> CachingRule {
    guard accepts(source), let url = source.url, let path = try? Self.path(of: url) else { return .never }
    return FileVersion.text(of: path).map(CachingRule.version) ?? .never
  }

  /// Opens the file.
  ///
  /// - Throws: ``LoadingError``: `fileNotFound`, `fileUnreadable`, `notRegularFile`, `outsideRoots`,
  ///   `tooLarge`, `invalidURL`, `unsupportedScheme`; the body throws `truncatedBody` when the file shrinks
  ///   while it is read; `CancellationError`.
  public func load(_ request: LoadRequest) async throws -> LoadResponse {
    guard accepts(request.source), let url = request.source.url else {
      throw LoadingError.unsupportedScheme(request.source)
    }
    let path = try Self.path(of: url)
    let roots = self.roots
    let byteLimit = request.byteLimit
    let file = try await executor.run { try OpenFile(path: path, url: url, roots: roots) }
    if file.size > byteLimit {
      throw LoadingError.tooLarge(request.source, limit: byteLimit, declared: file.size)
    }
    let body = FileBody(file, url: url, byteLimit: byteLimit, executor: executor)
    return LoadResponse(url: url, expectedLength: file.declaredSize, body: LoadBody(body))
  }

  private static func path(of url: URL) throws(LoadingError) -> String {
    if let host = url.host(), !host.isEmpty, host.lowercased() != "localhost" {
      throw .invalidURL(url, reason: "it names another host; file: URLs are local")
    }
    let path = url.path(percentEncoded: false)
    guard path.utf8.first == UInt8(ascii: "/") else {
      throw .invalidURL(url, reason: "its path is not absolute")
    }
    // C would see a shorter path.
    guard !path.utf8.contains(0) else { throw .invalidURL(url, reason: "its path contains a NUL") }
    return path
  }
}
