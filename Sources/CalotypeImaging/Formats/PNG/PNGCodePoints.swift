/// The chunks of a PNG for video signals (PNG, third edition, 11.3.2.6 to 11.3.2.8): cICP, mDCV and cLLI.
enum PNGCodePoints {
  /// Reads cICP: primaries, transfer, matrix, range.
  ///
  /// - Returns: `nil` for a chunk that is ignored, so that the next colour chunk counts: its length is wrong, its matrix
  ///   is not that of RGB, or its code points have no known colours.
  static func points(_ chunk: UnsafeRawBufferPointer) -> ColorProfile.CodePoints? {
    guard chunk.count == 4, chunk[2] == 0, chunk[3] <= 1 else { return nil }
    let points = ColorProfile.CodePoints(
      primaries: chunk[0], transfer: chunk[1], matrix: 0, isFullRange: chunk[3] == 1)
    return points.haveColors ? points : nil
  }

  /// Converts a multiple of 0.0001 cd/m²; 0 is an unknown luminance.
  static func luminance(_ value: UInt32) -> Double? { value > 0 ? Double(value) / 10_000 : nil }
}

extension ColorProfile {
  /// Returns the profile of a cICP chunk, with the luminance of cLLI or mDCV; `nil` for a chunk that is ignored.
  ///
  /// - Parameters:
  ///   - chunk: The data of cICP.
  ///   - contentLight: The data of cLLI, if there is one.
  ///   - masteringDisplay: The data of mDCV, if there is one.
  package static func codePoints(
    _ chunk: [UInt8], contentLight: [UInt8]?, masteringDisplay: [UInt8]?
  ) -> ColorProfile? {
    guard var points = chunk.withUnsafeBytes(PNGCodePoints.points) else { return nil }
    let content = contentLight.flatMap { $0.count == 8 ? $0 : nil }?.withUnsafeBytes { $0.bigEndian32(at: 0) }
    let display = masteringDisplay.flatMap { $0.count == 24 ? $0 : nil }?
      .withUnsafeBytes { $0.bigEndian32(at: 16) }
    points.peakLuminance =
      content.flatMap(PNGCodePoints.luminance) ?? display.flatMap(PNGCodePoints.luminance)
    return points.profile
  }
}
