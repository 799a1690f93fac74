public import FoundationEssentials

/// A folder of its own for one test, removed with all that is in it when the test lets go of it.
///
/// ```swift
/// let folder = try TemporaryFolder()
/// let cache = DiskCache(.init(folder: folder.url))
/// ```
public final class TemporaryFolder: Sendable {
  /// Where it is.
  public let url: URL

  /// Makes a folder in `parent`, or in the one for temporary files.
  ///
  /// - Throws: The errors of `FileManager`.
  public init(in parent: URL? = nil) throws {
    url = (parent ?? FileManager.default.temporaryDirectory)
      .appending(path: "calotype-test-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of something inside.
  public func path(_ name: String) -> String { url.appending(path: name).path }
}
