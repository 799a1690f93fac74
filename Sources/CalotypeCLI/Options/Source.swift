import ArgumentParser
import Calotype
import FoundationEssentials

/// A URL or the path of a file, as written on the command line.
struct Source: ExpressibleByArgument {
  /// As it was written.
  let text: String
  let url: URL

  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    text = argument
    if argument.contains("://") || argument.lowercased().hasPrefix("data:") {
      guard let url = URL(string: argument) else { return nil }
      self.url = url
    } else {
      url = URL(filePath: argument)
    }
  }

  var isFile: Bool { url.isFileURL }

  /// A name for what is made of it, without extension: letters, digits, dots, dashes and underlines only.
  var stem: String {
    guard url.scheme?.lowercased() != "data" else { return "image" }
    var name = url.lastPathComponent
    if let dot = name.lastIndex(of: "."), dot != name.startIndex { name = String(name[..<dot]) }
    let safe = name.map { $0.isLetter || $0.isNumber || "-_.".contains($0) ? $0 : "_" }
    let stem = String(String(safe).drop { $0 == "." }.prefix(100))
    return stem.isEmpty ? "image" : stem
  }

  /// The stems of many sources, told apart by `-2`, `-3` … where they are equal.
  static func uniqueStems(_ sources: [Source]) -> [String] {
    var taken: Set<String> = []
    return sources.map { source in
      var name = source.stem
      var number = 2
      while !taken.insert(name).inserted {
        name = "\(source.stem)-\(number)"
        number += 1
      }
      return name
    }
  }
}
