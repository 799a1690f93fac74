/// Reads elements, attributes and characters in one pass, without recursion.
struct XMLTreeReader {
  private let bytes: [UInt8]
  private var position = 0
  private var open: [XMLTree] = []
  private var texts: [[UInt8]] = []
  private var root: XMLTree?
  private var count = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func read() -> XMLTree? {
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "<") {
        guard readMarkup() else { return nil }
      } else {
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.endIndex
        if !texts.isEmpty { texts[texts.count - 1] += bytes[position..<end] }
        position = end
      }
    }
    return open.isEmpty ? root : nil
  }

  private mutating func readMarkup() -> Bool {
    if follows("<!--") { return skip("-->") != nil }
    if follows("<?") { return skip("?>") != nil }
    if follows("<![CDATA[") {
      let start = position + 9
      guard let end = skip("]]>") else { return false }
      guard start <= end else { return false }
      // Escaped, so that no reference is found in it.
      let escaped = bytes[start..<end].flatMap { $0 == UInt8(ascii: "&") ? Array("&amp;".utf8) : [$0] }
      if !texts.isEmpty { texts[texts.count - 1] += escaped }
      return true
    }
    if follows("<!") { return false }
    return follows("</") ? readEnd() : readStart()
  }

  private func follows(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[position...].starts(with: $0) }
  }

  /// Moves behind a mark, and returns its position.
  private mutating func skip(_ mark: StaticString) -> Int? {
    while position < bytes.count {
      if follows(mark) {
        defer { position += mark.utf8CodeUnitCount }
        return position
      }
      position += 1
    }
    return nil
  }

  private mutating func readEnd() -> Bool {
    position += 2
    let name = readName()
    skipSpaces()
    guard position < bytes.count, bytes[position] == UInt8(ascii: ">"), open.last?.name == name else {
      return false
    }
    position += 1
    close()
    return true
  }

  private mutating func readStart() -> Bool {
    position += 1
    count += 1
    let name = readName()
    guard !name.isEmpty, open.count < XMLTree.maxDepth, count <= XMLTree.maxElements,
      root == nil || !open.isEmpty
    else { return false }
    var element = XMLTree(name: name)
    while true {
      skipSpaces()
      guard position < bytes.count else { return false }
      if follows("/>") {
        position += 2
        push(element)
        close()
        return true
      }
      if bytes[position] == UInt8(ascii: ">") {
        position += 1
        push(element)
        return true
      }
      guard element.attributes.count < 1024, let attribute = readAttribute() else { return false }
      element.attributes.append(attribute)
    }
  }

  private mutating func push(_ element: XMLTree) {
    open.append(element)
    texts.append([])
  }

  private mutating func close() {
    guard var element = open.popLast(), let text = texts.popLast() else { return }
    if element.children.isEmpty { element.text = Self.resolved(text[...]) }
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }

  private mutating func readAttribute() -> XMLTree.Attribute? {
    let name = readName()
    skipSpaces()
    guard !name.isEmpty, position < bytes.count, bytes[position] == UInt8(ascii: "=") else { return nil }
    position += 1
    skipSpaces()
    guard position < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[position]) else {
      return nil
    }
    let start = position + 1
    guard let end = bytes[start...].firstIndex(of: bytes[position]) else { return nil }
    position = end + 1
    return XMLTree.Attribute(name: name, value: Self.resolved(bytes[start..<end]))
  }

  private mutating func readName() -> String {
    let start = position
    while position < bytes.count, !" \t\r\n<>/='\"&".utf8.contains(bytes[position]) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func skipSpaces() {
    while position < bytes.count, " \t\r\n".utf8.contains(bytes[position]) { position += 1 }
  }

  /// Returns a text with its references replaced. Those that are not predefined stay as they are.
  private static func resolved(_ text: ArraySlice<UInt8>) -> String {
    guard text.contains(UInt8(ascii: "&")) else { return String(decoding: text, as: UTF8.self) }
    var result: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "&"), let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
        result.append(byte)
        continue
      }
      let name = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
      guard let scalar = scalar(of: name) else {
        result.append(byte)
        continue
      }
      result += Array(String(Character(scalar)).utf8)
      rest = rest[(end + 1)...]
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func scalar(of name: String) -> Unicode.Scalar? {
    switch name {
    case "amp": "&"
    case "lt": "<"
    case "gt": ">"
    case "quot": "\""
    case "apos": "'"
    case _ where name.hasPrefix("#x"): UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
    case _ where name.hasPrefix("#"): UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
    default: nil
    }
  }
}
