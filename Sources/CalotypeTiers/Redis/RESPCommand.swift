/// A command for Redis: its name and arguments. They are bytes of any kind.
package struct RESPCommand: Hashable, Sendable {
  /// The name and the arguments.
  package var words: [[UInt8]]

  /// Creates a command of bytes.
  package init(_ words: [[UInt8]]) {
    self.words = words
  }

  /// Creates a command of texts.
  package init(_ words: String...) {
    self.words = words.map { Array($0.utf8) }
  }

  /// The command as an array of strings.
  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(words.reduce(16) { $0 + $1.count + 16 })
    func line(_ type: UInt8, _ number: Int) {
      bytes.append(type)
      bytes += String(number).utf8
      bytes += [13, 10]
    }
    line(UInt8(ascii: "*"), words.count)
    for word in words {
      line(UInt8(ascii: "$"), word.count)
      bytes += word
      bytes += [13, 10]
    }
    return bytes
  }
}
