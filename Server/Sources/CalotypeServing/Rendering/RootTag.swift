import CalotypeResults

/// The start tag of the root element of a document in UTF-8.
struct RootTag {
  /// The name with its prefix.
  let name: String
  /// The prefix of the name with its colon; empty for none.
  let prefix: String
  /// The position behind the tag.
  let end: Int
  /// Whether the tag is that of an element without content.
  let isEmpty: Bool

  /// Looks for the tag behind declarations and comments.
  ///
  /// - Throws: ``Failure`` with the reason `unsupportedSource` if there is none, or another encoding is declared.
  init(_ bytes: [UInt8]) throws(Failure) {
    var scanner = MarkupScanner(bytes)
    scanner.skip([0xEF, 0xBB, 0xBF])
    if scanner.starts(with: "<?xml"), let declaration = scanner.text(upTo: "?>") {
      let encoding = Self.encoding(in: declaration)
      guard encoding.map({ ["utf-8", "utf8", "us-ascii", "ascii"].contains($0) }) ?? true else {
        throw StyledDrawing.unsupported("declares another encoding than UTF-8; convert it")
      }
    }
    try scanner.skipToRoot()
    guard let tag = scanner.tag() else { throw StyledDrawing.unsupported("has no root element; repair it") }
    (name, end, isEmpty) = (tag.name, tag.end, tag.isEmpty)
    prefix = tag.name.firstIndex(of: ":").map { String(tag.name[...$0]) } ?? ""
  }

  private static func encoding(in declaration: String) -> String? {
    guard let name = declaration.firstRange(of: "encoding") else { return nil }
    let parts = declaration[name.upperBound...].split(
      maxSplits: 2, omittingEmptySubsequences: false, whereSeparator: { $0 == "\"" || $0 == "'" })
    return parts.count == 3 ? parts[1].lowercased() : ""
  }
}
