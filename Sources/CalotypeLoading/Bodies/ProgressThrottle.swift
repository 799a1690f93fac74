/// Decides which progress reports are made. Pure.
struct ProgressThrottle {
  /// The smallest fraction of the whole between two reports.
  let step: Double
  private var reported: Int?

  init(step: Double) {
    self.step = step
  }

  /// Returns whether to report `received` bytes. Without a length every chunk is reported; the full length always is.
  mutating func admits(_ received: Int, of expected: Int?) -> Bool {
    if let expected, let reported, received < expected, Double(received - reported) < step * Double(expected)
    {
      return false
    }
    reported = received
    return true
  }

  /// Returns whether the end of a body must still be reported, because its length was unknown or wrong.
  func owesTheEnd(_ received: Int, of expected: Int?) -> Bool {
    received > 0 && expected != received
  }
}
