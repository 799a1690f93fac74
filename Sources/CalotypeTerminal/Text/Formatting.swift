/// Numbers as people read them.
package enum Formatting {
  /// `812 B`, `12.3 KB`, `4.6 MB`: decimal units.
  package static func bytes(_ count: Int) -> String {
    let units = ["KB", "MB", "GB", "TB"]
    guard count >= 1000 else { return "\(count) B" }
    var value = Double(count) / 1000
    var unit = 0
    while value >= 999.5, unit < units.count - 1 {
      value /= 1000
      unit += 1
    }
    return value < 99.95 ? "\(tenths(value)) \(units[unit])" : "\(Int(value.rounded())) \(units[unit])"
  }

  /// `87 ms`, `1.4 s`.
  package static func duration(_ duration: Duration) -> String {
    let seconds = duration / .seconds(1)
    if seconds < 0.001 { return "<1 ms" }
    return seconds < 1 ? "\(Int((seconds * 1000).rounded())) ms" : "\(tenths(seconds)) s"
  }

  package static func milliseconds(_ duration: Duration) -> Double {
    (duration / .milliseconds(1) * 1000).rounded() / 1000
  }

  /// One number and its noun: `1 image`, `3 images`.
  package static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  private static func tenths(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

extension String {
  /// Cut or filled with spaces to a number of characters.
  package func padded(to width: Int) -> String {
    count >= width ? self : self + String(repeating: " ", count: width - count)
  }

  /// Spaces in front up to a number of characters.
  package func leftPadded(to width: Int) -> String {
    count >= width ? self : String(repeating: " ", count: width - count) + self
  }

  /// The end of the text, behind an ellipsis when it is longer than `width`.
  package func tail(_ width: Int) -> String {
    count <= width ? self : "…" + suffix(max(0, width - 1))
  }
}
