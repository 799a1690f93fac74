/// Which reports of progress are made. Pure.
struct ProgressThrottle {
  /// The least fraction of the whole between two reports.
  let step: Double
  private var reported: Int?

  init(step: Double) {
    self.step = step
  }

  /// Whether `received` bytes are worth a report. Without a length every chunk is, and all of a known length always are.
  mutating func admits(_ received: Int, of expected: Int?) -> Bool {
    if let expected, let reported, received < expected, Double(received - reported) < step * Double(expected)
    {
      return false
    }
    reported = received
    return true
  }

  /// Whether a body that has come to its end has yet to be reported as such: nobody knew that these were all bytes.
  func owesTheEnd(_ received: Int, of expected: Int?) -> Bool {
    received > 0 && expected != received
  }
}
