extension ImageInfo {
  /// The properties of the stored pixels that determine the cost of a decode, as known from the header.
  ///
  /// They are not part of the identity of an image: all layouts are equal, and an ``ImageInfo`` from a cache has lost
  /// its own.
  package struct Layout: Sendable {
    /// A Boolean value that indicates whether a decoder has set the properties. If not, the worst is assumed.
    package var isKnown = false
    /// The number of stored samples per pixel (JPEG): 1.5 for 4:2:0, 3 for 4:4:4.
    package var samplesPerPixel = 3.0
    /// Bytes of coefficients that are collected before there are pixels (JPEG in several scans).
    package var coefficientByteCount = 0
    /// A Boolean value that indicates whether rows are not stored from top to bottom, or the first frame does not fill
    /// the canvas: the picture is then decoded as a whole.
    package var needsCanvas = false
    /// A Boolean value that indicates whether the bitstream is lossless (WebP).
    package var isLossless = false
    /// Bytes of the uncompressed rows (PNG), of the uncompressed strips or tiles in memory at a time (TIFF), or of the
    /// planes of a tile and the state of their decoder (HEIF).
    package var inflatedByteCount = 0
    /// Bytes of compressed rows in several pieces (PNG), or of the planes of a row of tiles (HEIF); 0 for one piece.
    package var scatteredByteCount = 0
    /// A Boolean value that indicates whether colours have to be converted to sRGB.
    package var hasProfile = false
    /// The cost of the frames of an animation.
    package var frames = Frames()

    /// The properties that determine the cost of frames, each on its canvas.
    package struct Frames: Sendable {
      /// Pixels of all frames together, each at its delivered size, or at its stored size if that is larger.
      package var totalPixelCount = 0
      /// Pixels of the largest stored frame.
      package var largestPixelCount = 0
      /// The largest number of pixels that a frame needs beside the canvas: a backup for its disposal, or pixels to
      /// blend.
      package var besidePixelCount = 0
      /// A Boolean value that indicates whether the bitstream of any frame is lossless (WebP).
      package var isAnyLossless = false

      /// Creates the properties of no frames.
      package init() {}

      /// Adds a frame.
      ///
      /// - Parameters:
      ///   - stored: The number of its stored pixels.
      ///   - canvas: The number of delivered pixels.
      ///   - beside: The number of pixels beside the canvas.
      ///   - isLossless: Pass true for a lossless bitstream.
      package mutating func add(stored: Int, on canvas: Int, beside: Int, isLossless: Bool = false) {
        let (sum, overflow) = totalPixelCount.addingReportingOverflow(max(stored, canvas))
        totalPixelCount = overflow ? .max : sum
        largestPixelCount = max(largestPixelCount, stored)
        besidePixelCount = max(besidePixelCount, beside)
        isAnyLossless = isAnyLossless || isLossless
      }
    }

    /// Creates the assumptions for a format that sets no properties.
    package init() {}
  }
}

extension ImageInfo.Layout: Hashable {
  package static func == (a: Self, b: Self) -> Bool { true }
  package func hash(into hasher: inout Hasher) {}
}
