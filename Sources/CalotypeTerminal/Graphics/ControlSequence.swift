/// Bytes for a terminal: control sequences as ECMA-48 and the DEC and xterm manuals have them.
enum ControlSequence {
  /// Introduces a control sequence, CSI.
  static let csi = "\u{1B}["
  /// Ends a control string, ST.
  static let stringTerminator = "\u{1B}\\"
  /// Remembers the place of the cursor and its attributes, DECSC.
  static let saveCursor = "\u{1B}7"
  /// Goes back there, DECRC; may be repeated.
  static let restoreCursor = "\u{1B}8"
  static let hideCursor = csi + "?25l"
  static let showCursor = csi + "?25h"
  /// Begins a synchronized update: the terminal shows the output up to the end of it at once. Others ignore it.
  static let beginUpdate = csi + "?2026h"
  static let endUpdate = csi + "?2026l"
  /// The colours of the terminal.
  static let resetAttributes = csi + "0m"
  /// Erases everything from the cursor on, ED.
  static let eraseBelow = csi + "J"
  /// Erases the line from the cursor on, EL.
  static let eraseLine = csi + "K"

  /// Returns a synchronized update of `bytes`; nothing for no bytes.
  static func update(_ bytes: [UInt8]) -> [UInt8] {
    bytes.isEmpty ? [] : Array(beginUpdate.utf8) + bytes + Array(endUpdate.utf8)
  }

  /// Up so many lines; nothing for none.
  static func up(_ lines: Int) -> String { lines > 0 ? "\(csi)\(lines)A" : "" }
}

extension [UInt8] {
  mutating func append(_ text: String) { append(contentsOf: text.utf8) }

  /// A number in decimal digits.
  mutating func append(decimal value: Int) {
    if value >= 10 { append(decimal: value / 10) }
    append(UInt8(ascii: "0") + UInt8(value % 10))
  }
}
