/// A setting of the GIF encoder, a whole number. Its raw value is its name in ``EncodeOptions/extras``.
///
/// ```swift
/// var options = EncodeOptions.gif
/// options[.loss] = 8
/// options[.frameTolerance] = 3
/// ```
public enum GIFSetting: String, Hashable, Sendable, CaseIterable {
  /// The difference, in levels of 255, by which a pixel may change so that it repeats earlier ones, 0 to 64. The differences
  /// of neighbouring pixels even out, as in dithering. 0 by default; 8 takes a third off a photo.
  case loss
  /// The difference, in levels of 255, that a pixel of an animation may have from the frame before and still stay as it was, 0
  /// to 64. 0 by default.
  case frameTolerance

  /// The values that are accepted.
  public var range: ClosedRange<Int> { 0...64 }
}

extension EncodeOptions {
  /// A setting of the GIF encoder; `nil` for its default.
  ///
  /// - Parameter setting: The setting.
  public subscript(setting: GIFSetting) -> Int? {
    get { extras[setting.rawValue].flatMap { Int($0) } }
    set { extras[setting.rawValue] = newValue.map { String($0) } }
  }

  /// Returns the value of a setting, 0 if it is not set.
  ///
  /// - Throws: `invalidParameter` for anything but a number in its range.
  func checked(_ setting: GIFSetting) throws(ImagingError) -> Int {
    guard let text = extras[setting.rawValue] else { return 0 }
    guard let value = Int(text), setting.range.contains(value) else {
      throw .invalidParameter(
        name: setting.rawValue,
        reason: "\(text) is not \(setting.range.lowerBound) to \(setting.range.upperBound)")
    }
    return value
  }
}
