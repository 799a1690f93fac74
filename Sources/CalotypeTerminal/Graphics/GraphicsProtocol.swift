/// A protocol for pictures in terminals.
package enum GraphicsProtocol: String, CaseIterable, Sendable {
  /// Pixels in control strings of their own, with names: kitty, Ghostty, Konsole and others.
  case kitty
  /// Image files within an operating system command: iTerm2, WezTerm and others.
  case iterm2
  /// DEC's six rows at a time, at most 256 colours: xterm, foot, mlterm, Windows Terminal and others.
  case sixel
  /// Two pixels in each cell, by the character ▀ and 24-bit colours: nearly everywhere.
  case blocks
  /// The same with xterm's 256 colours.
  case blocks256

  package var isBlocks: Bool { self == .blocks || self == .blocks256 }

  /// Returns the pixels that a cell can show.
  package func metrics(of cell: CellMetrics) -> CellMetrics { isBlocks ? .halfBlocks(of: cell) : cell }
}
