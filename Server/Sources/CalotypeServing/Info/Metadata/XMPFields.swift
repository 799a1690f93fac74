import FoundationEssentials

/// The properties of an XMP packet (ISO 16684-1) by the prefixes of their namespaces.
///
/// Texts are strings, `rdf:Bag` and `rdf:Seq` arrays, structures objects; of the languages of `rdf:Alt`, the default, or else
/// the first one.
enum XMPFields {
  /// Returns the properties as an object; `nil` if there are none, or the packet is not well-formed.
  static func object(of packet: Data, maxBytes: Int = 1 << 20) -> JSONValue? {
    guard packet.count <= maxBytes, let root = XMLTree.root(of: Array(packet)) else { return nil }
    var spaces: [(prefix: String, members: [JSONValue.Member])] = []
    func add(_ name: String, _ value: JSONValue) {
      let parts = name.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { return }
      let prefix = String(parts[0])
      let index = spaces.firstIndex { $0.prefix == prefix } ?? spaces.endIndex
      if index == spaces.endIndex { spaces.append((prefix, [])) }
      let local = String(parts[1])
      if !spaces[index].members.contains(where: { $0.name == local }) {
        spaces[index].members.append(JSONValue.Member(local, value))
      }
    }
    for description in root.all("rdf:Description") {
      for attribute in description.attributes where isProperty(attribute.name) {
        add(attribute.name, .string(attribute.value))
      }
      for child in description.children where isProperty(child.name) { add(child.name, value(of: child)) }
    }
    let members = spaces.map { JSONValue.Member($0.prefix, .object($0.members)) }
    return members.isEmpty ? nil : .object(members)
  }

  private static func isProperty(_ name: String) -> Bool {
    !name.hasPrefix("xmlns") && !name.hasPrefix("rdf:") && !name.hasPrefix("xml:")
  }

  /// The depth of the tree is bounded by its reader.
  private static func value(of element: XMLTree) -> JSONValue {
    for child in element.children {
      switch child.name {
      case "rdf:Bag", "rdf:Seq":
        return .array(child.children.filter { $0.name == "rdf:li" }.map(value(of:)))
      case "rdf:Alt":
        let items = child.children.filter { $0.name == "rdf:li" }
        let item = items.first { $0["xml:lang"] == "x-default" } ?? items.first
        return item.map(value(of:)) ?? .string("")
      case "rdf:Description": return structure(child)
      default: continue
      }
    }
    if !element.children.isEmpty || element["rdf:parseType"] == "Resource" { return structure(element) }
    if let resource = element["rdf:resource"] { return .string(resource) }
    if element.text.isEmpty, element.attributes.contains(where: { isProperty($0.name) }) {
      return structure(element)
    }
    return .string(element.text)
  }

  private static func structure(_ element: XMLTree) -> JSONValue {
    func local(_ name: String) -> String {
      name.lastIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
    }
    return .object(
      element.attributes.filter { isProperty($0.name) }.map { .init(local($0.name), .string($0.value)) }
        + element.children.filter { isProperty($0.name) }.map { .init(local($0.name), value(of: $0)) })
  }
}
