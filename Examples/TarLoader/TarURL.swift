import CalotypeLoading
import FoundationEssentials

/// A `tar:` URL, taken apart.
struct TarURL: Sendable {
  let url: URL
  let archive: String
  /// The name as ``TarName`` has it. Bytes, because names in archives need not be UTF-8.
  let entry: [UInt8]

  init(_ url: URL) throws(LoadingError) {
    if let host = url.host(), !host.isEmpty {
      throw .invalidURL(url, reason: "it names a host; archives are local: tar:///path/of/archive.tar#entry")
    }
    archive = url.path(percentEncoded: false)
    guard archive.utf8.first == UInt8(ascii: "/") else {
      throw .invalidURL(url, reason: "the path of its archive is not absolute")
    }
    // C would see a shorter path than we do.
    guard !archive.utf8.contains(0) else { throw .invalidURL(url, reason: "its path contains a NUL") }
    guard let fragment = url.fragment(percentEncoded: true), !fragment.isEmpty else {
      throw .invalidURL(url, reason: "it names no entry: tar:///path/of/archive.tar#entry")
    }
    guard let bytes = Self.percentDecoded(fragment) else {
      throw .invalidURL(url, reason: "a % in its fragment is not followed by two hexadecimal digits")
    }
    guard let entry = TarName.normalized(bytes) else {
      throw .invalidURL(url, reason: "the name of its entry is empty or leads out of the archive")
    }
    self.url = url
    self.entry = entry
  }

  private static func percentDecoded(_ text: String) -> [UInt8]? {
    var result: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
      guard digits.count == 2 else { return nil }
      result.append(UInt8(digits[0] << 4 | digits[1]))
      rest = rest.dropFirst(2)
    }
    return result
  }
}
