import FoundationEssentials

/// A filter that removes properties from an XMP packet (ISO 16684-1: RDF in XML) and copies the rest byte for byte.
///
/// A property is an attribute, or an element with its content. Names are compared without their prefix, because a
/// prefix may be bound to any namespace, and without regard to case, because writers do not agree on it: removing one
/// property too many is better than keeping a position.
enum XMPFilter {
  /// The largest nesting depth of elements.
  private static let maxDepth = 256
  /// Names of properties to remove, in lower case.
  private static let dropped: Set<String> = [
    "orientation", "thumbnails", "imagewidth", "imagelength", "pixelxdimension", "pixelydimension",
    "hasextendedxmp",
    // Places by name: Photoshop, IPTC Core and Extension, Dublin Core; those of W3C's geo vocabulary.
    "city", "state", "country", "countrycode", "countryname", "countryisocode", "provincestate",
    "stateprovince",
    "province", "worldregion", "coverage", "place", "placename", "lat", "long", "lon", "lng", "alt_m",
  ]
  /// Substrings, in lower case, of the names of properties with a location: of Exif, IPTC (Location, Sublocation,
  /// LocationCreated, LocationShown, LocationId) and of drones; and of maker notes, which may contain one.
  private static let droppedParts = [
    "gps", "latitude", "longitude", "longtitude", "altitude", "location", "geotag", "geocod", "geohash",
    "makernote",
    "shotlogdata",
  ].map { Array($0.utf8) }

  /// Returns the filtered packet; `nil` if it is not well-formed, or has a document type (whose entities could hide
  /// anything).
  ///
  /// - Parameter keepsCopyrightAlone: Pass true to remove all properties but those of ``XMPCopyright``, and comments; the
  ///   result is then `nil` if there are none.
  static func filtered(_ packet: Data, keepsCopyrightAlone: Bool = false) -> Data? {
    guard String(validating: packet, as: UTF8.self) != nil else { return nil }
    var pass = Pass(input: [UInt8](packet), keepsCopyrightAlone: keepsCopyrightAlone)
    guard pass.run(), pass.hasCopyright || !keepsCopyrightAlone else { return nil }
    return Data(pass.output)
  }

  private struct Pass {
    let input: [UInt8]
    var output: [UInt8] = []
    private var position = 0
    /// Names of the open elements.
    private var open: [ArraySlice<UInt8>] = []
    /// The depth at which the removed element began.
    private var hiddenFrom: Int?
    private let keepsCopyrightAlone: Bool
    /// The depth at which the property of an author began.
    private var copyrightFrom: Int?
    /// A Boolean value that indicates whether a property of an author was kept.
    private(set) var hasCopyright = false

    init(input: [UInt8], keepsCopyrightAlone: Bool) {
      self.input = input
      self.keepsCopyrightAlone = keepsCopyrightAlone
      output.reserveCapacity(input.count)
    }

    mutating func run() -> Bool {
      while position < input.count {
        let next = input[position...].firstIndex(of: UInt8(ascii: "<")) ?? input.count
        copy(position..<next)
        position = next
        if next < input.count, !markup() { return false }
      }
      return open.isEmpty
    }

    private mutating func copy(_ range: Range<Int>) {
      let isWanted = !keepsCopyrightAlone || copyrightFrom != nil || open.isEmpty
      if hiddenFrom == nil, isWanted { output.append(contentsOf: input[range]) }
    }

    /// Parses markup that begins with `<`.
    private mutating func markup() -> Bool {
      if follows("<!--") { return skip(to: "-->", copies: !keepsCopyrightAlone) }
      if follows("<![CDATA[") { return skip(to: "]]>") }
      if follows("<?") { return skip(to: "?>") }
      if follows("<!") { return false }
      return follows("</") ? endTag() : startTag()
    }

    private func follows(_ text: StaticString, at index: Int? = nil) -> Bool {
      let start = index ?? position
      return text.withUTF8Buffer { input[min(start, input.count)...].starts(with: $0) }
    }

    private mutating func skip(to end: StaticString, copies: Bool = true) -> Bool {
      var index = position + 2
      while index < input.count {
        if follows(end, at: index) {
          index += end.utf8CodeUnitCount
          if copies { copy(position..<index) }
          position = index
          return true
        }
        index += 1
      }
      return false
    }

    private mutating func endTag() -> Bool {
      let name = name(at: position + 2)
      var index = name.endIndex
      while index < input.count, Self.isSpace(input[index]) { index += 1 }
      guard !name.isEmpty, index < input.count, input[index] == UInt8(ascii: ">"), open.popLast() == name
      else {
        return false
      }
      let isHidden = hiddenFrom != nil
      if hiddenFrom == open.count { hiddenFrom = nil }
      if copyrightFrom == open.count { copyrightFrom = nil }
      if !isHidden { output.append(contentsOf: input[position...index]) }
      position = index + 1
      return true
    }

    private mutating func startTag() -> Bool {
      let name = name(at: position + 1)
      guard !name.isEmpty, open.count < maxDepth else { return false }
      var index = name.endIndex
      var copied = Array(input[position..<index])
      let isFrame = keepsCopyrightAlone && copyrightFrom == nil && XMPCopyright.isFrame(name)
      let begins = keepsCopyrightAlone && copyrightFrom == nil && !isFrame && XMPCopyright.isProperty(name)
      let isVisible =
        hiddenFrom == nil && !Self.isDropped(name)
        && (!keepsCopyrightAlone || copyrightFrom != nil || isFrame || begins)
      if begins, isVisible { hasCopyright = true }
      while true {
        let gap = index
        while index < input.count, Self.isSpace(input[index]) { index += 1 }
        guard index < input.count else { return false }
        if input[index] == UInt8(ascii: ">") || follows("/>", at: index) {
          copied.append(contentsOf: input[gap..<index])
          break
        }
        guard index > gap, let attribute = attribute(at: index) else { return false }
        let isAuthor = isFrame && XMPCopyright.isProperty(attribute.name)
        if isAuthor, isVisible { hasCopyright = true }
        if !Self.isDropped(attribute.name), !isFrame || isAuthor || XMPCopyright.isBinding(attribute.name) {
          copied.append(contentsOf: input[gap..<attribute.end])
        }
        index = attribute.end
      }
      let isEmpty = input[index] == UInt8(ascii: "/")
      let end = index + (isEmpty ? 2 : 1)
      copied.append(contentsOf: input[index..<end])
      if isVisible { output.append(contentsOf: copied) }
      if !isEmpty {
        if hiddenFrom == nil, !isVisible { hiddenFrom = open.count }
        if begins, isVisible { copyrightFrom = open.count }
        open.append(name)
      }
      position = end
      return true
    }

    private func attribute(at start: Int) -> (name: ArraySlice<UInt8>, end: Int)? {
      let name = name(at: start)
      var index = name.endIndex
      while index < input.count, Self.isSpace(input[index]) { index += 1 }
      guard !name.isEmpty, index < input.count, input[index] == UInt8(ascii: "=") else { return nil }
      index += 1
      while index < input.count, Self.isSpace(input[index]) { index += 1 }
      guard index < input.count, input[index] == UInt8(ascii: "\"") || input[index] == UInt8(ascii: "'"),
        let close = input[(index + 1)...].firstIndex(of: input[index]),
        !input[index..<close].contains(UInt8(ascii: "<"))
      else { return nil }
      return (name, close + 1)
    }

    private func name(at start: Int) -> ArraySlice<UInt8> {
      var end = min(start, input.count)
      while end < input.count, !Self.endsName(input[end]) { end += 1 }
      return input[min(start, input.count)..<end]
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
      byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func endsName(_ byte: UInt8) -> Bool {
      isSpace(byte) || "<>/='\"&".utf8.contains(byte)
    }

    private static func isDropped(_ name: ArraySlice<UInt8>) -> Bool {
      let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
      let lower = local.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
      if dropped.contains(String(decoding: lower, as: UTF8.self)) { return true }
      return droppedParts.contains { part in
        lower.count >= part.count
          && (0...(lower.count - part.count)).contains { lower[$0...].starts(with: part) }
      }
    }
  }
}
