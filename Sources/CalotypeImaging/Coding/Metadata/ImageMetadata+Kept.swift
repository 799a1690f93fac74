import FoundationEssentials

extension ImageMetadata {
  /// What may be written with another picture that was made from this one: the blocks of these kinds, without what
  /// must not or need not travel.
  ///
  /// Exif is written anew, in its byte order and with its values byte for byte: directory 0, the Exif directory and
  /// the interoperability directory. Left out are positions (the GPS directory), the orientation (pixels are written
  /// upright), thumbnails (directory 1), the size of the stored picture, everything that points at pixels, and blocks
  /// of other kinds inside (XMP, IPTC, Photoshop, ICC). Maker notes are copied; offsets that some makers count from
  /// the start of the file lose their meaning. What breaks the rules of TIFF is left out; a block without readable
  /// entries becomes `nil`.
  ///
  /// XMP is copied byte for byte except for properties of the same meaning: `Orientation`, all that begin with
  /// `GPS`, sizes, thumbnails, and the link to an extended packet; in any namespace. A packet that is not well-formed
  /// UTF-8, or has a document type, becomes `nil`.
  ///
  /// ``Kind/icc`` concerns ``Image/profile`` and changes nothing here.
  public func kept(_ kinds: Set<Kind>) -> ImageMetadata {
    ImageMetadata(
      exif: kinds.contains(.exif) ? exif.flatMap { ExifRewriter.rewritten($0) } : nil,
      xmp: kinds.contains(.xmp) ? xmp.flatMap { XMPFilter.filtered($0) } : nil)
  }
}
