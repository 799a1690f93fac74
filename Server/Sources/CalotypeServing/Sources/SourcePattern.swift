/// A pattern of `ALLOWED_SOURCES`: the beginning of a source, in which `*` stands for a text without slashes.
///
/// A pattern that ends within the host of a URL has to match all of it: `https://a.example` allows no
/// `https://a.example.evil.net`, as imgproxy would.
public struct SourcePattern: Hashable, Sendable {
  /// The pattern as it is written.
  public let text: String
  private let parts: [[UInt8]]
  private let endsInAuthority: Bool

  /// Reads a pattern, with at most 32 stars; further ones stand for themselves.
  public init(_ text: String) {
    self.text = text
    parts = text.utf8.split(separator: UInt8(ascii: "*"), maxSplits: 32, omittingEmptySubsequences: false)
      .map(
        Array.init)
    let bytes = Array(text.utf8)
    let authority = Self.authorityStart(of: bytes).map { bytes[$0...] }
    endsInAuthority = authority.map { !$0.isEmpty && !$0.contains(where: Self.endsAuthority) } ?? false
  }

  /// Returns whether a source begins with the pattern.
  public func matches(_ source: String) -> Bool {
    let bytes = Array(source.utf8)
    // Everything in front of the @ would be taken for the host by people, and by prefixes.
    if let start = Self.authorityStart(of: bytes) {
      let authority = bytes[start...].prefix { !Self.endsAuthority($0) }
      if authority.contains(UInt8(ascii: "@")) { return false }
    }
    return match(parts[...], bytes[...])
  }

  /// The number of stars is bounded, and each stands for a text without slashes: O(stars × length²) at most.
  private func match(_ parts: ArraySlice<[UInt8]>, _ rest: ArraySlice<UInt8>) -> Bool {
    // The positions at which the part may begin.
    var starts: Set<Int> = [rest.startIndex]
    for (index, part) in parts.enumerated() {
      var ends: Set<Int> = []
      for start in starts where rest[start...].starts(with: part) { ends.insert(start + part.count) }
      guard !ends.isEmpty else { return false }
      if index == parts.count - 1 {
        return ends.contains { isEnd($0, of: rest) }
      }
      starts = []
      for end in ends {
        var position = end
        while starts.insert(position).inserted, position < rest.endIndex, !Self.isSlash(rest[position]) {
          position += 1
        }
      }
    }
    return true
  }

  /// Browsers read a backslash as a slash.
  private static func isSlash(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
  }

  private func isEnd(_ position: Int, of bytes: ArraySlice<UInt8>) -> Bool {
    guard endsInAuthority, position < bytes.endIndex else { return true }
    return Self.endsAuthority(bytes[position]) || bytes[position] == UInt8(ascii: ":")
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
      || byte == UInt8(ascii: "\\")
  }

  /// The position behind `://`.
  private static func authorityStart(of bytes: [UInt8]) -> Int? {
    let mark = Array("://".utf8)
    guard bytes.count >= mark.count else { return nil }
    let scheme = bytes.prefix { $0 != UInt8(ascii: ":") }
    guard !scheme.isEmpty, scheme.allSatisfy({ $0 != UInt8(ascii: "/") }),
      bytes[scheme.endIndex...].starts(with: mark)
    else { return nil }
    return scheme.endIndex + mark.count
  }
}
