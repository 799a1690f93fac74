import CalotypeTestKit

/// Text that would like to do something to a terminal, and what must not come out of the command.
enum HostileText {
  private static let harmless = Array("abcXYZ019 -_.%é漢字ü✅".unicodeScalars)

  /// What is dangerous or not to be seen, by ranges that were copied from the charts of Unicode 16.
  private static let ranges: [ClosedRange<UInt32>] = [
    // C0, DEL and C1; soft hyphen, joiner of graphemes, Arabic letter mark.
    0x01...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x34F...0x34F, 0x61C...0x61C,
    // Fillers of Hangul, vowels of Khmer that are not shown, separators of Mongolian.
    0x115F...0x1160, 0x17B4...0x17B5, 0x180B...0x180F, 0x3164...0x3164, 0xFFA0...0xFFA0,
    // Space without width, marks of direction, separators, overrides, isolates, invisible operators.
    0x200B...0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x2064, 0x2066...0x206F, 0xFEFF...0xFEFF,
    // Annotations, musical marks, tags, selectors of ideographs.
    0xFFF9...0xFFFB, 0x1D173...0x1D17A, 0xE0001...0xE0001, 0xE0020...0xE007F, 0xE0100...0xE01EF,
  ]
  /// Harmless where they join what is seen.
  private static let joiners: [ClosedRange<UInt32>] = [0x200C...0x200D, 0xFE00...0xFE0F]

  /// Strings of up to 60 characters, each with a number in front.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - seed: Others for each.
  ///   - without: Scalars that cannot stand where they are to stand.
  static func make(_ count: Int, seed: UInt64, without: Set<Unicode.Scalar> = []) -> [String] {
    var generator = SeededGenerator(seed: seed)
    let sequences = [
      "\u{1B}[2J\u{1B}[H", "\u{1B}]0;x\u{7}", "\u{9B}31m", "\r\u{1B}[A", "\u{202E}gpj.exe",
      "\u{1B}P1q\u{1B}\\",
    ]
    return (0..<count).map { number in
      var text = "\(number)-"
      for _ in 0..<Int.random(in: 4...10, using: &generator) {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: text += sequences.randomElement(using: &generator) ?? ""
        case 1, 2: text.unicodeScalars.append(harmless.randomElement(using: &generator) ?? "a")
        case 3:
          if let range = joiners.randomElement(using: &generator) { append(range) }
        default:
          if let range = ranges.randomElement(using: &generator) { append(range) }
        }
      }
      func append(_ range: ClosedRange<UInt32>) {
        if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) {
          text.unicodeScalars.append(scalar)
        }
      }
      var kept = String.UnicodeScalarView()
      kept.append(contentsOf: text.unicodeScalars.filter { !without.contains($0) })
      return String(kept)
    }
  }

  /// What of a text must not have come out; line feeds are ends of lines.
  static func found(in text: String) -> Set<Unicode.Scalar> {
    var found: Set<Unicode.Scalar> = []
    var before: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      if scalar != "\n", ranges.contains(where: { $0.contains(scalar.value) }) { found.insert(scalar) }
      if joiners.contains(where: { $0.contains(scalar.value) }), before?.isASCII != false {
        found.insert(scalar)
      }
      before = scalar
    }
    return found
  }
}
