/// A rule that replaces the beginning of a source (`IMGPROXY_URL_REPLACEMENTS`).
///
/// In the pattern `*` stands for any text without a slash; the replacement uses those texts as `${1}`, `${2}` and so on.
public struct SourceReplacement: Hashable, Sendable {
  private enum Part: Hashable, Sendable {
    case text([UInt8])
    case group(Int)
  }

  /// The texts between the stars.
  private let pattern: [[UInt8]]
  private let replacement: [Part]

  /// A rule.
  public init(pattern: String, replacement: String) {
    self.pattern = pattern.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(
      Array.init)
    self.replacement = Self.parts(Array(replacement.utf8))
  }

  /// Rules as imgproxy's setting has them: `pattern=replacement`, separated by semicolons.
  public static func list(_ text: String) throws(ImageURLError) -> [SourceReplacement] {
    var rules: [SourceReplacement] = []
    for (index, rule) in text.split(separator: ";", omittingEmptySubsequences: false).enumerated() {
      guard let mark = rule.firstIndex(of: "=") else {
        throw ImageURLError(
          .invalidConfiguration, "replacement \(index + 1) has no equals sign",
          remedy: "write pattern=replacement;pattern=replacement")
      }
      rules.append(
        SourceReplacement(
          pattern: String(rule[..<mark]), replacement: String(rule[rule.index(after: mark)...])))
    }
    return rules
  }

  /// A source after the rule; the same if its beginning does not match.
  func apply(to source: [UInt8]) -> [UInt8] {
    guard let match = match(source) else { return source }
    var result: [UInt8] = []
    for part in replacement {
      switch part {
      case .text(let text): result += text
      case .group(0): result += source[..<match.end]
      case .group(let number): if number <= match.groups.count { result += source[match.groups[number - 1]] }
      }
    }
    return result + source[match.end...]
  }

  /// Matches from the start, each star as long as possible. No end is tried twice for the same star, so that the time is bounded by
  /// pattern times source.
  private func match(_ source: [UInt8]) -> (groups: [Range<Int>], end: Int)? {
    guard source.starts(with: pattern[0]) else { return nil }
    let count = pattern.count - 1
    var groups = [Range<Int>](repeating: 0..<0, count: count)
    guard count > 0 else { return (groups, pattern[0].count) }
    // For each star and each end of the longest text: the first position from which on no end is worth a try.
    let width = source.count + 1
    var tried = [Int](repeating: .max, count: count * width)
    var stack: [(start: Int, reach: Int, end: Int)] = []
    func push(_ start: Int) {
      let reach = reach(source, from: start)
      stack.append((start, reach, min(reach, tried[stack.count * width + reach] - 1)))
    }
    push(pattern[0].count)
    while let top = stack.last {
      let star = stack.count - 1
      guard top.end >= top.start else {
        tried[star * width + top.reach] = min(top.start, tried[star * width + top.reach])
        stack.removeLast()
        continue
      }
      stack[star].end -= 1
      guard source[top.end...].starts(with: pattern[star + 1]) else { continue }
      groups[star] = top.start..<top.end
      let next = top.end + pattern[star + 1].count
      if stack.count == count { return (groups, next) }
      push(next)
    }
    return nil
  }

  /// The end of the longest text from `start` on that a star stands for.
  private func reach(_ source: [UInt8], from start: Int) -> Int {
    source[start...].firstIndex(of: UInt8(ascii: "/")) ?? source.count
  }

  /// `$1`, `${1}` and `$$` in a replacement, as Go's `Expand` reads them. Groups without such a number are empty.
  private static func parts(_ text: [UInt8]) -> [Part] {
    var parts: [Part] = []
    var plain: [UInt8] = []
    var position = 0
    func isWord(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: "_") || PercentEncoding.isUnreserved(byte) && !"-.~".utf8.contains(byte)
    }
    while position < text.count {
      let byte = text[position]
      position += 1
      guard byte == UInt8(ascii: "$"), position < text.count else {
        plain.append(byte)
        continue
      }
      if text[position] == UInt8(ascii: "$") {
        plain.append(byte)
        position += 1
        continue
      }
      let isBraced = text[position] == UInt8(ascii: "{")
      let name = text[(isBraced ? position + 1 : position)...].prefix(while: isWord)
      guard !name.isEmpty, !isBraced || name.endIndex < text.count && text[name.endIndex] == UInt8(ascii: "}")
      else {
        plain.append(byte)
        continue
      }
      position = isBraced ? name.endIndex + 1 : name.endIndex
      if !plain.isEmpty { parts.append(.text(plain)) }
      plain = []
      parts.append(.group(NumberText.integer(name) ?? .max))
    }
    if !plain.isEmpty { parts.append(.text(plain)) }
    return parts
  }
}
