extension Double {
  /// The nearest number in a range; another number in the place of one that is none.
  func limited(to range: ClosedRange<Double>, orIfNaN other: Double) -> Double {
    isNaN ? other : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
