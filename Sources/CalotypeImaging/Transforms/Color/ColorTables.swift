/// The new values of samples by their old values: a table for red, green, blue and alpha each.
struct ColorTables: Hashable, Sendable {
  /// Red, green, blue, alpha: 256 values each, shifted to their position in a pixel, as the C code reads them.
  private(set) var entries: [UInt32]

  /// The tables that change nothing.
  static let identity = ColorTables(colors: { $0 })

  /// Creates tables from functions of values from 0 to 255; results are rounded to nearest and clamped.
  init(colors: (Double) -> Double, alpha: (Double) -> Double = { $0 }) {
    self.init { channel, value in channel < 3 ? colors(value) : alpha(value) }
  }

  /// Creates tables from a function of the channel (red, green, blue, alpha) and the value.
  init(_ function: (_ channel: Int, _ value: Double) -> Double) {
    entries = (0..<1024).map { index in
      let value = function(index / 256, Double(index % 256))
      return UInt32(min(max(value.rounded(), 0), 255)) << UInt32(8 * (index / 256))
    }
  }

  /// Returns the new value of a sample.
  func value(_ channel: Int, _ sample: UInt8) -> UInt8 {
    UInt8(truncatingIfNeeded: entries[channel * 256 + Int(sample)] >> UInt32(8 * channel))
  }

  /// Returns the composition of these tables with the next: exact, because both map bytes to bytes.
  func then(_ next: ColorTables) -> ColorTables {
    var result = self
    for channel in 0..<4 {
      for sample in 0..<256 {
        let index = channel * 256 + sample
        result.entries[index] =
          next.entries[
            channel * 256 + Int(value(channel, UInt8(truncatingIfNeeded: sample)))]
      }
    }
    return result
  }
}
