import Calotype

/// An image of the sheet: all that the page says of it.
struct SheetEntry: Sendable {
  /// The name of the file.
  let name: String
  /// The size of the thumbnail in CSS pixels.
  let box: PixelSize
  /// The thumbnail, and one with twice as many pixels for sharp displays: relative or data URLs.
  let source: String
  let doubleSource: String
  /// The CSS background until the thumbnail is there: its mean colour, and its BlurHash as a picture of some 100 bytes.
  let placeholder: String?
  /// Format, size, frames and bytes, for people.
  let facts: [String]

  /// The text for those who do not see the picture. A name is all that we know: a site with descriptions has better ones.
  var alternative: String {
    let words = name.split(separator: ".").dropLast().joined(separator: ".").split { "-_ ".contains($0) }
    return words.isEmpty ? name : words.joined(separator: " ")
  }
}
