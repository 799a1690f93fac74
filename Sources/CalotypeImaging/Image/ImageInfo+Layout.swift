extension ImageInfo {
  /// How the pixels are stored, as far as it decides what a decode of them takes: known from the header.
  ///
  /// It is no part of what an image is: all layouts are equal, and an ``ImageInfo`` that was kept in a cache has lost its own.
  package struct Layout: Sendable {
    /// Whether a decoder has said anything. If not, the worst is assumed.
    package var isKnown = false
    /// Samples that are stored for a pixel (JPEG): 1.5 for 4:2:0, 3 for 4:4:4.
    package var samplesPerPixel = 3.0
    /// Bytes of coefficients that are collected before there are pixels (JPEG in several scans).
    package var coefficientByteCount = 0
    /// Whether rows do not come from top to bottom, or the first frame does not fill the canvas: then the picture is
    /// decoded as a whole.
    package var needsCanvas = false
    /// Whether the bitstream is lossless (WebP).
    package var isLossless = false
    /// Bytes of the rows before they were compressed (PNG).
    package var inflatedByteCount = 0
    /// Bytes of compressed rows that lie in several pieces (PNG); 0 when they are one.
    package var scatteredByteCount = 0
    /// Whether colours have to be converted to be sRGB.
    package var hasProfile = false
    /// What the frames of an animation take.
    package var frames = Frames()

    /// What decides what frames take, each on its canvas.
    package struct Frames: Sendable {
      /// Pixels of all frames together, each as it is delivered, or as it is stored where that is more.
      package var totalPixelCount = 0
      /// Pixels of the largest frame as it is stored.
      package var largestPixelCount = 0
      /// The most pixels that are kept beside the canvas for a frame: what it restores, or what is laid over the canvas.
      package var besidePixelCount = 0
      /// Whether the bitstream of any frame is lossless (WebP).
      package var isAnyLossless = false

      /// No frames yet.
      package init() {}

      /// Counts one more.
      ///
      /// - Parameters:
      ///   - stored: Its own pixels.
      ///   - canvas: Those that are delivered.
      ///   - beside: Those that are kept beside the canvas.
      ///   - isLossless: Whether its bitstream is lossless.
      package mutating func add(stored: Int, on canvas: Int, beside: Int, isLossless: Bool = false) {
        let (sum, overflow) = totalPixelCount.addingReportingOverflow(max(stored, canvas))
        totalPixelCount = overflow ? .max : sum
        largestPixelCount = max(largestPixelCount, stored)
        besidePixelCount = max(besidePixelCount, beside)
        isAnyLossless = isAnyLossless || isLossless
      }
    }

    /// What is assumed of a format that does not say more.
    package init() {}
  }
}

extension ImageInfo.Layout: Hashable {
  package static func == (a: Self, b: Self) -> Bool { true }
  package func hash(into hasher: inout Hasher) {}
}
