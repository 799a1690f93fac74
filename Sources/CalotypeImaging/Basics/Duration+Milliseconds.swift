extension Duration {
  /// Milliseconds, rounded to nearest; the nearest `Int` where that overflows.
  package var wholeMilliseconds: Int {
    let milliseconds = (self / .milliseconds(1)).rounded()
    return milliseconds >= 0x1p63 ? .max : milliseconds <= -0x1p63 ? .min : Int(milliseconds)
  }
}
