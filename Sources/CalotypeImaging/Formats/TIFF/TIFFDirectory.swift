/// A directory of a TIFF file: one page, or a smaller version of it, with all numbers checked.
package struct TIFFDirectory: Hashable, Sendable {
  /// The division of the pixels into pieces.
  package enum Layout: Hashable, Sendable {
    /// Strips of this number of rows.
    case strips(rows: Int)
    /// Tiles of this size.
    case tiles(PixelSize)
  }

  /// The fields of the directory, not checked.
  let entries: TIFFEntries
  /// The position of the directory.
  package var offset: Int { entries.offset }
  /// The width and height, before orientation.
  package let size: PixelSize
  /// Bits of the first sample: 1 to 64.
  package let bitsPerSample: Int
  /// Samples of each pixel.
  package let samplesPerPixel: Int
  /// The meaning of each extra sample: 1 associated alpha, 2 straight alpha.
  package let extraSamples: [Int]
  /// The orientation.
  package let orientation: Orientation
  /// The division of the pixels.
  package let layout: Layout
  /// The number of strips or tiles, of all planes.
  package let pieceCount: Int
  /// The place of the ICC profile.
  package let profile: Range<Int>?
  /// The positions of subordinate directories, as of smaller versions.
  package let subDirectories: [Int]

  /// A Boolean value that indicates whether one of the samples is alpha.
  package var hasAlpha: Bool { extraSamples.contains { $0 == 1 || $0 == 2 } }
}
