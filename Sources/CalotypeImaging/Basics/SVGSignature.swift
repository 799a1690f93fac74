/// The recognition of SVG by its root element.
enum SVGSignature {
  /// The answer for the beginning of an input.
  enum Verdict {
    case drawing
    /// More bytes may show that the input is a drawing.
    case open
    case other
  }

  private static let nameSpace = "http://www.w3.org/2000/svg"

  /// Examines the first ``ImageFormat/textSniffLength`` bytes of an input, or of the text in a gzip file.
  static func verdict(on bytes: RawSpan) -> Verdict {
    guard let text = MarkupText(bytes, limit: ImageFormat.textSniffLength) else { return .other }
    switch XMLRootElement.read(text.bytes) {
    case .notXML: return .other
    case .found(let root): return isDrawing(root) ? .drawing : .other
    case .incomplete(nil): return text.isCut ? .other : .open
    case .incomplete(let name?):
      guard localName(name) == "svg" else { return .other }
      // A long start tag: the name space is taken on trust, if there is no prefix to bind.
      return text.isCut ? (name == "svg" ? .drawing : .other) : .open
    }
  }

  /// Returns whether this is the root element of a drawing: `svg` in its name space, or in none.
  static func isDrawing(_ root: XMLRootElement) -> Bool {
    guard localName(root.name) == "svg" else { return false }
    let prefix = root.name.dropLast(3)
    let declaration = prefix.isEmpty ? "xmlns" : "xmlns:" + prefix.dropLast()
    guard let bound = root.value(of: declaration) else { return prefix.isEmpty }
    // Some programs write an entity of the document type in its place.
    return bound == nameSpace || bound.hasPrefix("&")
  }

  private static func localName(_ name: String) -> Substring {
    name.lastIndex(of: ":").map { name[name.index(after: $0)...] } ?? name[...]
  }
}
