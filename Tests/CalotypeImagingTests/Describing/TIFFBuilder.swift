import FoundationEssentials

/// Writes TIFF directories, sound or not.
struct TIFFBuilder {
  var isBigEndian = false
  var isBig = false

  /// An entry; values that do not fit go behind the directory.
  struct Entry {
    var tag: Int
    var type: Int
    var values: [Int]
    /// A count that is not that of the values.
    var count: Int?

    init(_ tag: Int, _ values: [Int], type: Int = 4, count: Int? = nil) {
      (self.tag, self.values, self.type, self.count) = (tag, values, type, count)
    }

    init(_ tag: Int, _ value: Int, type: Int = 4) {
      self.init(tag, [value], type: type)
    }
  }

  func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
    let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isBigEndian ? bytes.reversed() : bytes
  }

  /// The entries of a picture of 16×12 pixels without compression.
  static let page = [
    Entry(256, 16), Entry(257, 12), Entry(258, [8, 8, 8], type: 3), Entry(259, 1, type: 3),
    Entry(262, 2, type: 3),
    Entry(273, 8), Entry(277, 3, type: 3), Entry(278, 12), Entry(279, 576),
  ]

  /// The entries of a page with others in place of those of the same tag.
  static func page(_ others: Entry...) -> [Entry] {
    page.filter { entry in !others.contains { $0.tag == entry.tag } } + others
  }

  /// A file of directories; the last one is followed by the directory at `next`.
  func file(_ pages: [[Entry]], next: Int = 0) -> Data {
    var bytes: [UInt8] = Array((isBigEndian ? "MM" : "II").utf8)
    bytes += isBig ? number(43, 2) + number(8, 2) + number(0, 2) : number(42, 2)
    let word = isBig ? 8 : 4
    bytes += number(bytes.count + word, word)
    for (index, page) in pages.enumerated() {
      let start = bytes.count
      var place = start + (isBig ? 8 : 2) + page.count * (isBig ? 20 : 12) + word
      var values: [UInt8] = []
      bytes += number(page.count, isBig ? 8 : 2)
      for entry in page {
        let size = [1: 1, 3: 2, 7: 1, 16: 8][entry.type] ?? 4
        let content = entry.values.flatMap { number($0, size) }
        bytes +=
          number(entry.tag, 2) + number(entry.type, 2) + number(entry.count ?? entry.values.count, word)
        if content.count <= word {
          bytes += content + [UInt8](repeating: 0, count: word - content.count)
        } else {
          bytes += number(place, word)
          place += content.count
          values += content
        }
      }
      bytes += number(index + 1 < pages.count ? place : next, word) + values
    }
    return Data(bytes)
  }
}
