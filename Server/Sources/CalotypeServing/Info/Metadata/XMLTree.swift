/// An element of a small XML text without a document type.
struct XMLTree {
  /// An attribute.
  struct Attribute {
    let name: String
    let value: String
  }

  let name: String
  var attributes: [Attribute] = []
  var children: [XMLTree] = []
  /// The characters directly within the element, if it has no children.
  var text = ""

  /// The value of an attribute.
  subscript(_ name: String) -> String? { attributes.first { $0.name == name }?.value }

  /// The deepest nesting of elements: people write fewer than ten.
  static let maxDepth = 32
  /// The largest number of elements.
  static let maxElements = 20_000

  /// Reads a text; `nil` if it is not well-formed UTF-8, has a document type, or exceeds the bounds.
  static func root(of bytes: [UInt8]) -> XMLTree? {
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    var reader = XMLTreeReader(bytes)
    return reader.read()
  }

  /// All elements of a name below this one, but not within each other.
  func all(_ name: String) -> [XMLTree] {
    self.name == name ? [self] : children.flatMap { $0.all(name) }
  }
}
