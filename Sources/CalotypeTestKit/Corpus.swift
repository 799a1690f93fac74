public import FoundationEssentials

/// A folder of test images with a table of what each of them must do.
///
/// The table is `MANIFEST.tsv`: tab-separated, one row an image, columns named in the first line.
public struct Corpus: Sendable {
  /// One image of the corpus.
  public struct Entry: Sendable, CustomStringConvertible {
    /// The file.
    public let url: URL
    /// The path inside the corpus.
    public let path: String
    /// All columns of the row by name.
    public let columns: [String: String]

    /// A column, empty when there is none of that name.
    public subscript(column: String) -> String { columns[column] ?? "" }

    /// The path.
    public var description: String { path }

    /// The bytes of the file.
    ///
    /// - Throws: The errors of `Data(contentsOf:)`.
    public func data() throws -> Data { try Data(contentsOf: url) }
  }

  /// All images whose file exists, in the order of the table.
  public let entries: [Entry]

  /// Reads the table in `folder`; `nil` when there is none.
  public init?(folder: URL) {
    guard let table = try? String(contentsOf: folder.appending(path: "MANIFEST.tsv"), encoding: .utf8)
    else { return nil }
    var lines = table.split(separator: "\n", omittingEmptySubsequences: true).makeIterator()
    guard let header = lines.next() else { return nil }
    let names = header.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    var entries: [Entry] = []
    while let line = lines.next() {
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      let columns = Dictionary(zip(names, cells), uniquingKeysWith: { first, _ in first })
      guard let path = columns["path"] else { continue }
      let url = folder.appending(path: path)
      if FileManager.default.fileExists(atPath: url.path) {
        entries.append(Entry(url: url, path: path, columns: columns))
      }
    }
    self.entries = entries
  }
}
