/// The line that tells how far a batch is: a value, made of numbers alone.
struct BatchProgress {
  /// Images in all, and those that are done.
  let count: Int
  var done = 0
  /// Bytes of all images, and of those that are done.
  let byteCount: Int
  var doneBytes = 0

  init(count: Int, byteCount: Int) { (self.count, self.byteCount) = (count, byteCount) }

  /// Such as `12 of 240 · 34.1 of 620.4 MB · 8.2 images/s · 28 s left`.
  func line(after elapsed: Duration) -> String {
    let seconds = max(elapsed / .seconds(1), 0.001)
    var parts = [
      "\(done) of \(count)", "\(Self.megabytes(doneBytes)) of \(Self.megabytes(byteCount)) MB",
      "\(Self.tenths(Double(done) / seconds)) images/s",
    ]
    // By bytes, because large images take longer.
    if doneBytes > 0, done < count {
      let left = seconds * Double(byteCount - doneBytes) / Double(doneBytes)
      parts.append("\(Int(left.rounded(.up))) s left")
    }
    return parts.joined(separator: " · ")
  }

  static func megabytes(_ bytes: Int) -> String { tenths(Double(bytes) / 1_000_000) }

  private static func tenths(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
