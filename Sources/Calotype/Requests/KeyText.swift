import CalotypeCaching

/// The text of a key while it is made, in UTF-8: every request makes one.
struct KeyText {
  private var bytes: [UInt8] = []

  /// Creates an empty text with room for `capacity` bytes.
  init(capacity: Int = 64) {
    bytes.reserveCapacity(capacity)
  }

  /// Creates a text that begins with another.
  init(_ text: String) {
    write(text)
  }

  /// The text.
  var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Returns the key with this text.
  func key(source: String) -> CacheKey { CacheKey(utf8: bytes, source: source) }

  /// Appends a part, its value after its length, so that different parts never give the same text.
  mutating func append(_ name: String, _ value: String) {
    write(name)
    bytes.append(UInt8(ascii: " "))
    write(value.utf8.count)
    bytes.append(UInt8(ascii: " "))
    write(value)
    bytes.append(UInt8(ascii: "\n"))
  }

  private mutating func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  private mutating func write(_ number: Int) {
    if number > 9 { write(number / 10) }
    bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
  }
}
