import ArgumentParser
import Calotype
import CalotypeSupport
import FoundationEssentials
import CalotypeTerminal

/// A URL or the path of a file, as written on the command line.
struct Source: ExpressibleByArgument {
  /// The text as written.
  let text: String

  /// The text as displayed: without user name and password.
  var shown: String { RedactedURL.withoutUsers(text, isOne: true) }

  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    text = argument
  }

  /// Not stored: there may be very many sources, and each is needed for a moment.
  private var parsed: URL? {
    // A URL without a host may contain a password, and is not a path in any case.
    if text.prefixMatch(of: /https?:(?!\/\/)/.ignoresCase()) != nil { return nil }
    if text.contains("://") || text.lowercased().hasPrefix("data:") { return URL(string: text) }
    return URL(filePath: text)
  }

  /// - Throws: ``CommandError/malformedURL(_:)``: one such source must not stop the others.
  var url: URL {
    get throws(CommandError) {
      guard let parsed else { throw .malformedURL(text) }
      return parsed
    }
  }

  var isFile: Bool { parsed?.isFileURL == true }
  /// Whether the source is a file named by a URL rather than by its path.
  var isFileURL: Bool { isFile && text.contains("://") }
  var scheme: String? { parsed?.scheme?.lowercased() }

  /// The stem of output file names: letters, digits, dots, dashes and underlines only.
  var stem: String {
    guard let parsed, scheme != "data" else { return "image" }
    var name = parsed.lastPathComponent
    if let dot = name.lastIndex(of: "."), dot != name.startIndex { name = String(name[..<dot]) }
    let safe = name.map { character -> Character in
      let isSeen = !character.unicodeScalars.contains(where: SanitizedText.isHarmful)
      return isSeen && (character.isLetter || character.isNumber || "-_.".contains(character))
        ? character : "_"
    }
    var stem = String(safe).drop { $0 == "." }
    // File names are limited in bytes.
    while stem.utf8.count > 150 { stem.removeLast() }
    return stem.isEmpty ? "image" : String(stem)
  }

  /// Returns the stems of many sources, distinguished by `-2`, `-3` … where they are equal.
  static func uniqueStems(_ sources: [Source]) -> [String] {
    var taken: Set<String> = []
    // The next number to try: starting from the beginning would take longer with every source.
    var numbers: [String: Int] = [:]
    return sources.map { source in
      let stem = source.stem
      if taken.insert(stem).inserted { return stem }
      var number = numbers[stem] ?? 2
      while !taken.insert("\(stem)-\(number)").inserted { number += 1 }
      numbers[stem] = number + 1
      return "\(stem)-\(number)"
    }
  }

  /// Returns the places of equal sources together, in the order of their first places.
  static func groups(_ sources: [Source]) -> [[Int]] {
    var groups: [[Int]] = []
    var numbers: [String: Int] = [:]
    for (index, source) in sources.enumerated() {
      if let number = numbers[source.text] {
        groups[number].append(index)
      } else {
        numbers[source.text] = groups.count
        groups.append([index])
      }
    }
    return groups
  }
}
