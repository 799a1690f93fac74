public import FoundationEssentials

/// The blocks of metadata beside the pixels, as bytes.
public struct ImageMetadata: Hashable, Sendable {
  /// The kinds of blocks that an encoder can keep.
  public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
    /// The colour profile, for pixels that were not converted, as far as the format holds it
    /// (``ImageEncoding/holds(_:)``).
    case icc
    /// Exif without positions (GPS, maker notes), and without the orientation that was applied.
    case exif
    /// XMP without positions, places, and the orientation.
    case xmp
    /// Of Exif, the author and the copyright; of XMP, the properties of Dublin Core for rights, creator, contributor and
    /// publisher, the rights of XMP itself, and those of Creative Commons. Whole blocks take precedence.
    case copyright
  }

  /// The TIFF structure of an Exif block, without the `Exif\0\0` before it.
  public var exif: Data?
  /// The XMP packet, UTF-8.
  public var xmp: Data?

  /// Creates metadata.
  public init(exif: Data? = nil, xmp: Data? = nil) {
    self.exif = exif
    self.xmp = xmp
  }
}
