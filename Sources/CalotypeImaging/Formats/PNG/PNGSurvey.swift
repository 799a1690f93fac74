import CPixels

/// The facts about all pixels of a picture, or of all frames of an animation, that decide how few bits they need.
final class PNGSurvey {
  let facts: UnsafeMutablePointer<cpng_survey>
  private(set) var wide = cpng_survey16()
  /// A Boolean value that indicates whether fully transparent pixels count as transparent black.
  let clears: Bool
  /// The format of the pixels; `nil` before the first.
  private(set) var format: PixelFormat?

  init(clears: Bool) {
    self.clears = clears
    facts = .allocate(capacity: 1)
    facts.initialize(to: cpng_survey())
  }

  deinit { facts.deallocate() }

  /// Adds the pixels of a picture, which has the same format as those before. Checks for cancellation every 64 rows.
  ///
  /// - Throws: `encodingFailed` for inks; `cancelled`.
  func add(_ bitmap: Bitmap) throws(ImagingError) {
    guard bitmap.format != .cmyk8 else {
      throw .encodingFailed(.png, reason: "PNG has no CMYK; convert the image to RGB first")
    }
    format = bitmap.format
    try bitmap.withUnsafeBytes { pixels throws(ImagingError) in
      guard let base = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      for y in 0..<bitmap.height {
        if y % 64 == 0, Task.isCancelled { throw .cancelled }
        let row = base + y * bitmap.bytesPerRow
        switch bitmap.format {
        case .rgba16: cpng_survey_rgba16(&wide, row, bitmap.width)
        case .gray8: cpng_survey_gray(facts, row, bitmap.width)
        default: cpng_survey_rgba(facts, row, bitmap.width, clears ? 1 : 0)
        }
      }
    }
  }

  /// A Boolean value that indicates whether the samples have 16 bits that 8 cannot express.
  var needs16: Bool { format == .rgba16 && wide.needs16 != 0 }

  /// A Boolean value that indicates whether every pixel is opaque.
  var isOpaque: Bool { format == .rgba16 ? wide.has_alpha == 0 : facts.pointee.has_alpha == 0 }

  /// A Boolean value that indicates whether every pixel is grey.
  var isGray: Bool { format == .rgba16 ? wide.has_color == 0 : facts.pointee.has_color == 0 }

  /// The colour of all fully transparent pixels, if they have one and all others are opaque.
  var transparentColor: UInt32? {
    guard format == .rgba8, facts.pointee.has_partial_alpha == 0, facts.pointee.hidden_colors == 1 else {
      return nil
    }
    return facts.pointee.hidden
  }

  /// All colours with their places in the survey, if a palette can hold them: first the translucent ones, so that tRNS is
  /// short, then the frequent ones. `nil` otherwise.
  var colors: [(color: Palette.Color, place: Int)]? {
    let count = Int(facts.pointee.color_count)
    guard format != .rgba16, (1...Int(CPNG_MOST_COLORS)).contains(count) else { return nil }
    return withUnsafeBytes(of: &facts.pointee) { bytes in
      let colors = (0..<count).map { at in
        (
          color: Palette.Color(
            red: bytes[4 * at], green: bytes[4 * at + 1], blue: bytes[4 * at + 2], alpha: bytes[4 * at + 3]),
          place: at,
          uses: bytes.load(
            fromByteOffset: 4 * Int(CPNG_MOST_COLORS) + 8 * at, as: UInt64.self)
        )
      }
      return colors.sorted {
        let (left, right) = ($0.color.alpha < 255, $1.color.alpha < 255)
        if left != right { return left }
        return ($1.uses, $0.place) < ($0.uses, $1.place)
      }.map { ($0.color, $0.place) }
    }
  }
}
