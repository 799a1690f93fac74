/// Text with the part of Pango's markup that drawings can show: `b`, `i`, `u`, `s`, `sub`, `sup`, and `span` with
/// `foreground`, `size`, `font_weight` and `font_style`.
///
/// Everything else is an error that names it. `&`, `<` and `>` of the text itself are written as entities.
struct MarkupText: Hashable, Sendable {
  /// Text of one look.
  struct Run: Hashable, Sendable {
    /// The text, without markup.
    var text: String
    /// Its look.
    let style: MarkupStyle
  }

  /// The most characters, with markup.
  static let longest = 2000
  /// The most lines.
  static let mostLines = 50

  /// The text with markup.
  let source: String
  /// The lines of the text, each in runs of one look.
  let lines: [[Run]]

  /// Reads text.
  ///
  /// - Throws: ``MarkupError``.
  init(_ source: String) throws(MarkupError) {
    guard source.unicodeScalars.count <= Self.longest else {
      throw MarkupError("the text has more than \(Self.longest) characters", remedy: "shorten it")
    }
    self.source = source
    var reader = MarkupReader(source)
    lines = try reader.read()
    guard lines.count <= Self.mostLines else {
      throw MarkupError("the text has more than \(Self.mostLines) lines", remedy: "shorten it")
    }
    guard
      lines.contains(where: {
        $0.contains { $0.text.unicodeScalars.contains { !$0.properties.isWhitespace } }
      })
    else { throw MarkupError("the text is empty", remedy: "write some, or leave the option out") }
  }
}
