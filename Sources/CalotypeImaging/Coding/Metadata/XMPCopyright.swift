/// The statements of authorship in an XMP packet (ISO 16684-1).
///
/// Packets are `x:xmpmeta`, `rdf:RDF`, `rdf:Description` and properties, one within the other. Names are compared without
/// regard to case, and properties without their prefix, which may be bound to any namespace.
enum XMPCopyright {
  /// Names of elements around properties.
  private static let frames: Set<String> = ["x:xmpmeta", "x:xapmeta", "rdf:rdf", "rdf:description"]
  /// Local names of properties.
  private static let properties: Set<String> = [
    // Dublin Core.
    "rights", "contributor", "creator", "publisher",
    // XMP Rights Management.
    "certificate", "marked", "owner", "usageterms", "webstatement",
    // Creative Commons.
    "attributionname", "attributionurl", "jurisdiction", "legalcode", "license", "morepermissions", "permits",
    "prohibits", "requires", "useguidelines",
  ]

  /// Returns true for the name of an element around properties.
  static func isFrame(_ name: ArraySlice<UInt8>) -> Bool { frames.contains(lower(name)) }

  /// Returns true for the name of a property about authors and rights.
  static func isProperty(_ name: ArraySlice<UInt8>) -> Bool {
    properties.contains(lower(name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name))
      && !isBinding(name)
  }

  /// Returns true for an attribute that binds a prefix or names what is described.
  static func isBinding(_ name: ArraySlice<UInt8>) -> Bool {
    let text = lower(name)
    return text == "rdf:about" || text == "xmlns" || text.hasPrefix("xmlns:")
  }

  private static func lower(_ name: ArraySlice<UInt8>) -> String {
    String(decoding: name, as: UTF8.self).lowercased()
  }
}
