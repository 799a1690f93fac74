/// The extended header of an entry: lines of `<length> <keyword>=<value>\n` (IEEE Std 1003.1, pax, "pax Extended
/// Header").
struct PaxRecords {
  /// The name of the entry, instead of that of its header.
  private(set) var path: [UInt8]?
  /// The number of bytes of its contents, instead of that of its header.
  private(set) var size: Int?
  /// The time of its last change in whole seconds, instead of that of its header.
  private(set) var modified: Int?
  /// Whether its contents are a list of what is between holes.
  private(set) var isSparse = false

  init() {}

  init(_ bytes: [UInt8]) throws(TarDamage) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let digits = rest.prefix { $0 != UInt8(ascii: " ") }
      // The length counts itself.
      guard digits.count <= 8, let length = Self.decimal(digits), length > digits.count + 1,
        length <= rest.count
      else { throw TarDamage("the length of a pax record is wrong") }
      let record = rest.prefix(length).dropFirst(digits.count + 1)
      rest = rest.dropFirst(length)
      guard record.last == UInt8(ascii: "\n"), let equals = record.firstIndex(of: UInt8(ascii: "=")) else {
        throw TarDamage("a pax record is not a keyword with a value")
      }
      let value = record[(equals + 1)...].dropLast()
      let keyword = String(decoding: record[..<equals], as: UTF8.self)
      switch keyword {
      case "path": path = value.isEmpty ? nil : Array(value)
      case "size":
        guard let number = Self.decimal(value) else { throw TarDamage("a size in a pax record is wrong") }
        size = number
      case "mtime": modified = Self.decimal(value.prefix { $0 != UInt8(ascii: ".") })
      default: if keyword.hasPrefix("GNU.sparse.") { isSparse = true }
      }
    }
  }

  /// Returns a number of digits only; `nil` for anything else, and for one that is too large.
  private static func decimal(_ digits: ArraySlice<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    return Int(String(decoding: digits, as: UTF8.self))
  }
}
