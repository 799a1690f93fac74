extension DecodeOptions {
  /// The way to decode a file for comparison: as it is stored, without mercy.
  static func comparing(_ pixels: Pixels, _ limits: DecodeLimits?) -> DecodeOptions {
    DecodeOptions(
      limits: limits, appliesOrientation: false, damage: .strict, pixels: pixels, colors: .asStored,
      transforms: [])
  }
}
