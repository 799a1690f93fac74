import FoundationEssentials

/// The fields of an Exif block (CIPA DC-008, TIFF 6.0) with names and readable values.
///
/// The directories 0, Exif and GPS are read, each once, with at most 512 entries; values of more than 4 KiB and maker notes are
/// left out. Nothing is followed that is not in the block.
struct ExifFields {
  private static let maxEntries = 512
  private static let maxValueBytes = 4096

  private let bytes: [UInt8]
  private let isBigEndian: Bool
  private let isCanonical: Bool
  private var members: [JSONValue.Member] = []
  private var names: Set<String> = []

  /// Returns the fields of a block as an object; `nil` if there are none.
  ///
  /// - Parameters:
  ///   - block: The TIFF structure. Of a longer one, the first bytes are read.
  ///   - isCanonical: Pass true for the names of the specification, such as `DateTimeOriginal`.
  static func object(of block: Data, isCanonical: Bool, maxBytes: Int = 1 << 20) -> JSONValue? {
    guard var fields = ExifFields(Array(block.prefix(maxBytes)), isCanonical: isCanonical) else { return nil }
    fields.readAll()
    return fields.members.isEmpty ? nil : .object(fields.members)
  }

  private init?(_ bytes: [UInt8], isCanonical: Bool) {
    guard bytes.starts(with: "MM".utf8) || bytes.starts(with: "II".utf8) else { return nil }
    self.bytes = bytes
    self.isCanonical = isCanonical
    isBigEndian = bytes[0] == UInt8(ascii: "M")
    guard short(at: 2) == 42 else { return nil }
  }

  private mutating func readAll() {
    let links = read(at: long(at: 4), names: ExifNames.main)
    if let exif = links[0x8769] { _ = read(at: exif, names: ExifNames.exif) }
    if let position = links[0x8825] { _ = read(at: position, names: ExifNames.gps) }
  }

  /// Reads a directory, and returns the references to others.
  private mutating func read(at offset: Int?, names table: [Int: ExifName]) -> [Int: Int] {
    guard let offset, offset >= 8, let count = short(at: offset) else { return [:] }
    var links: [Int: Int] = [:]
    for index in 0..<min(count, Self.maxEntries) {
      let entry = offset + 2 + 12 * index
      guard let tag = short(at: entry), let type = short(at: entry + 2), let number = long(at: entry + 4),
        let field = long(at: entry + 8)
      else { break }
      if tag == 0x8769 || tag == 0x8825 {
        if links[tag] == nil { links[tag] = field }
        continue
      }
      guard let name = table[tag], let size = Self.size(of: type), number > 0,
        number <= Self.maxValueBytes / size
      else { continue }
      let start = number * size <= 4 ? entry + 8 : field
      guard start <= bytes.count - number * size, let text = text(name, type, number, at: start),
        !text.isEmpty
      else { continue }
      let title = isCanonical ? name.canonical : name.title
      if names.insert(title).inserted { members.append(JSONValue.Member(title, .string(text))) }
    }
    return links
  }

  // MARK: - Values

  private func text(_ name: ExifName, _ type: Int, _ count: Int, at start: Int) -> String? {
    switch type {
    case 2: return printable(bytes[start..<start + count].prefix { $0 != 0 })
    case 7: return undefined(name, bytes[start..<start + count])
    case 5, 10:
      let values = (0..<min(count, 16)).compactMap { fraction(at: start + 8 * $0, isSigned: type == 10) }
      return name.style.text(of: values) ?? values.map(\.text).joined(separator: ", ")
    default:
      let size = Self.size(of: type) ?? 1
      let values = (0..<min(count, 64)).compactMap { integer(type, at: start + size * $0) }
      if values.count == 1, let meaning = name.meanings[values[0]] { return meaning }
      return values.map(String.init).joined(separator: ", ")
    }
  }

  private func undefined(_ name: ExifName, _ value: ArraySlice<UInt8>) -> String? {
    if name.canonical == "UserComment" {
      // The encoding takes the first eight bytes.
      return value.starts(with: "ASCII\0\0\0".utf8) || value.prefix(8).allSatisfy { $0 == 0 }
        ? printable(value.dropFirst(8).prefix { $0 != 0 }) : nil
    }
    if value.count == 1, let byte = value.first { return name.meanings[Int(byte)] ?? String(byte) }
    if name.canonical == "ComponentsConfiguration" {
      let letters = ["-", "Y", "Cb", "Cr", "R", "G", "B"]
      return value.map { Int($0) < letters.count ? letters[Int($0)] : "?" }.joined(separator: " ")
    }
    return name.isVersion ? printable(value) : nil
  }

  /// Returns a text without control characters; bytes that are not UTF-8 are Latin 1.
  private func printable(_ value: ArraySlice<UInt8>) -> String {
    let text =
      String(validating: value, as: UTF8.self)
      ?? String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
    let visible = text.unicodeScalars.filter { $0.value >= 32 && !(127..<160).contains($0.value) }
    return String(String.UnicodeScalarView(visible)).trimmed
  }

  private static func size(of type: Int) -> Int? {
    switch type {
    case 1, 2, 6, 7: 1
    case 3, 8: 2
    case 4, 9: 4
    case 5, 10: 8
    default: nil
    }
  }

  private func integer(_ type: Int, at offset: Int) -> Int? {
    switch type {
    case 1: offset < bytes.count ? Int(bytes[offset]) : nil
    case 6: offset < bytes.count ? Int(Int8(bitPattern: bytes[offset])) : nil
    case 3: short(at: offset)
    case 8: short(at: offset).map { Int(Int16(truncatingIfNeeded: $0)) }
    case 4: long(at: offset)
    case 9: long(at: offset).map { Int(Int32(truncatingIfNeeded: $0)) }
    default: nil
    }
  }

  private func fraction(at offset: Int, isSigned: Bool) -> ExifFraction? {
    guard let top = long(at: offset), let bottom = long(at: offset + 4) else { return nil }
    guard isSigned else { return ExifFraction(numerator: top, denominator: bottom) }
    return ExifFraction(
      numerator: Int(Int32(truncatingIfNeeded: top)), denominator: Int(Int32(truncatingIfNeeded: bottom)))
  }

  private func short(at offset: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - 2 else { return nil }
    let (first, second) = (Int(bytes[offset]), Int(bytes[offset + 1]))
    return isBigEndian ? first << 8 | second : second << 8 | first
  }

  private func long(at offset: Int) -> Int? {
    guard let first = short(at: offset), let second = short(at: offset + 2) else { return nil }
    return isBigEndian ? first << 16 | second : second << 16 | first
  }
}

extension String {
  /// The text without spaces at its ends.
  fileprivate var trimmed: String {
    guard let first = firstIndex(where: { $0 != " " }), let last = lastIndex(where: { $0 != " " }) else {
      return ""
    }
    return String(self[first...last])
  }
}
