import CalotypeResults
import FoundationEssentials

/// A drawing with a style sheet in front of its content, as the option `style` demands.
///
/// The sheet becomes text of an element: characters that are markup are written as references, so that no sheet can end the
/// element, or begin another one. The rest of the drawing stays as it is.
struct StyledDrawing {
  /// The drawing.
  let data: Data

  /// Puts a sheet into a drawing.
  ///
  /// - Throws: ``Failure`` with the reason `unsupportedSource` for a drawing that is not plain UTF-8, or whose root element cannot be
  ///   found, and `invalidURL` for a sheet with characters that no document may have.
  init(_ drawing: Data, style: String) throws(Failure) {
    guard style.unicodeScalars.allSatisfy(XMLEscape.allows) else {
      throw Failure(.invalidURL, detail: "style: the sheet has control characters; leave them out")
    }
    guard !drawing.starts(with: [0x1F, 0x8B]) else { throw Self.unsupported("is compressed; store it plain") }
    guard let text = String(validating: drawing, as: UTF8.self), !text.utf8.contains(0) else {
      throw Self.unsupported("is not in UTF-8; convert it")
    }
    let root = try RootTag(Array(text.utf8))
    var result = Data(capacity: drawing.count + style.utf8.count + 64)
    let (bytes, element) = (Array(text.utf8), root.prefix + "style")
    let sheet = "<\(element) type=\"text/css\">\(XMLEscape.text(style))</\(element)>"
    if root.isEmpty {
      // Without the slash.
      result.append(contentsOf: bytes[..<(root.end - 2)])
      result.append(contentsOf: Array(">\(sheet)</\(root.name)>".utf8))
    } else {
      result.append(contentsOf: bytes[..<root.end])
      result.append(contentsOf: Array(sheet.utf8))
    }
    result.append(contentsOf: bytes[root.end...])
    data = result
  }

  static func unsupported(_ reason: String) -> Failure {
    Failure(.unsupportedSource, detail: "style: the drawing \(reason), or leave the option out")
  }
}
