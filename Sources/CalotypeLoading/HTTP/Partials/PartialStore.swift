import CalotypeSupport
public import FoundationEssentials
import Glibc
import HTTPTypes

/// A folder for partial bodies whose transfer broke off, was cancelled or died with its process. The next load of the
/// same source resumes them.
///
/// It stores only bodies with a strong `ETag` from servers that support ranges, of at least ``minBytes``, unless
/// `Cache-Control` of the request, the response or a redirect forbids it: by `no-store`, or by `private`, which
/// excludes shared caches (RFC 9111 §5.2). Requests of different ``LoadRequest/partition``s, and loaders of different
/// ``ImageLoading/identity``, never share parts. Each part is in a file of its own, checked byte by byte before it is
/// used, and locked while it is in use: several processes may share the folder. The rest is only taken from the URL
/// that the part came from, after redirects. A part is deleted when its body is complete, when it is older than
/// ``maxAge``, when caches are purged, and when the folder holds more than ``byteLimit``, oldest first.
///
/// ```swift
/// configuration.partials = PartialStore(folder: URL(filePath: "/var/cache/thumbnailer/partial"))
/// ```
public final class PartialStore: Sendable {
  /// The folder, which is created on demand.
  public let folder: URL
  /// The most bytes of all parts together. 256 MiB by default.
  public let byteLimit: Int
  /// How long a part is kept after its last byte. A day by default.
  public let maxAge: Duration
  /// The smallest body to store. 256 KiB by default.
  public let minBytes: Int
  private let failureCount = Lock(0)
  let executor = PartialStore.sharedExecutor

  /// One pool for all stores, which only waits for disks.
  private static let sharedExecutor = WorkerExecutor(name: "calotype-part", threads: 2)

  /// Creates a store. It reads and writes nothing before its first use.
  public init(
    folder: URL, byteLimit: Int = 256 << 20, maxAge: Duration = .seconds(86_400), minBytes: Int = 256 << 10
  ) {
    self.folder = folder
    self.byteLimit = byteLimit
    self.maxAge = maxAge
    self.minBytes = minBytes
  }

  /// The number of failed reads and writes. Each cost a part, none a load.
  public var failures: Int { failureCount.withLock { $0 } }

  // MARK: Loads

  /// Returns the stored part of the body of `request`, unless another load uses it.
  func resume(_ request: LoadRequest) async -> PartialFile? {
    let path = path(of: request)
    let found = await attempt { try self.find(path) }
    guard let file = found?.file else { return nil }
    if file.length > 0 { return file }
    await file.discard()
    return nil
  }

  /// Returns a file for the body of `response`; `nil` when it should not or cannot be stored.
  func begin(_ request: LoadRequest, _ response: LoadResponse) async -> PartialFile? {
    guard let head = PartialHead(response), let total = head.total, total >= minBytes, total <= byteLimit,
      !request.headers.forbidsStoring, !response.headers.forbidsSharedStoring,
      !response.redirects.contains(where: { $0.headers.forbidsSharedStoring })
    else {
      return nil
    }
    let path = path(of: request)
    return await attempt { try self.make(path, head, bytes: total) }?.file
  }

  /// Runs file operations on a thread that may block. Counts failures.
  func attempt<Result: Sendable>(_ body: @Sendable () throws -> Result) async -> Result? {
    do {
      return try await executor.run(body)
    } catch is CancellationError {
      return nil
    } catch {
      failureCount.withLock { $0 += 1 }
      return nil
    }
  }

  // MARK: Files

  /// The file of a request. Its name is a digest of everything that affects the bytes, which may be secret.
  private func path(of request: LoadRequest) -> String {
    var parts = [request.source.url?.absoluteString ?? "", request.loaderIdentity]
    parts += request.partition.map { ["partition", $0] } ?? []
    parts += request.accept.map { ["accepts", $0] } ?? []
    for field in request.headers.sorted(by: { $0.name.canonicalName < $1.name.canonicalName }) {
      parts += [field.name.canonicalName, field.value]
    }
    parts += request.credential.map { ["credential", $0.digest] } ?? []
    let name = LoaderIdentity.digest(LoaderIdentity.text(parts))
    return folder.appending(path: name + Self.suffix).path
  }

  static let suffix = ".partial"

  /// Opens and locks a file; returns `nil` if there is none, or another load has locked it. A file of another user than
  /// root is an error.
  static func open(_ path: String, creating: Bool) throws -> FileDescriptor? {
    // A missing folder holds no files.
    if !creating, access(path, F_OK) != 0 { return nil }
    let file = try FileDescriptor(path, O_RDWR | O_NOFOLLOW | (creating ? O_CREAT : 0))
    guard file.isTrusted else { throw SystemError(EPERM) }
    // Another load may have deleted it between the two calls.
    return file.lock() && file.isStill(at: path) ? file : nil
  }

  /// A file that another load has locked is not a failure.
  private struct Found: Sendable {
    let file: PartialFile?
  }

  private func find(_ path: String) throws -> Found {
    guard let descriptor = try Self.open(path, creating: false) else { return Found(file: nil) }
    do {
      return Found(file: try PartialFile.open(descriptor, path: path, store: self))
    } catch {
      // Not a part, or damaged at its beginning.
      unlink(path)
      throw error
    }
  }

  private func make(_ path: String, _ head: PartialHead, bytes: Int) throws -> Found {
    try makeFolder()
    trim(forMore: bytes)
    guard let descriptor = try Self.open(path, creating: true) else { return Found(file: nil) }
    return Found(file: try PartialFile.make(descriptor, path: path, head: head, store: self))
  }

  private func makeFolder() throws {
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// Deletes expired parts, and the oldest until there is room for another. Parts in use remain.
  private func trim(forMore bytes: Int) {
    guard var parts = try? parts() else { return }
    parts.sort { $0.written < $1.written }
    var total = parts.reduce(bytes) { $0 + $1.size }
    let oldest = time(nil) - Int(clamping: maxAge.components.seconds)
    for part in parts where part.written < oldest || total > byteLimit {
      // Locked: in use.
      guard let file = try? Self.open(part.path, creating: false) else { continue }
      unlink(part.path)
      total -= part.size
      withExtendedLifetime(file) {}
    }
  }
}
