import FoundationEssentials

extension ImageMetadata {
  /// What may be written with another picture that was made from this one: the blocks of these kinds, without what
  /// must not or need not travel.
  ///
  /// Exif is written anew, in its byte order and with its values byte for byte: directory 0, the Exif directory and
  /// the interoperability directory. Left out are positions (the GPS directory, and maker notes, in which some makers
  /// write them), the orientation (pixels are written upright), thumbnails (directory 1), the size of the stored
  /// picture, everything that points at pixels, and blocks of other kinds inside (XMP, IPTC, Photoshop, ICC). What
  /// breaks the rules of TIFF is left out; a block without readable entries becomes `nil`.
  ///
  /// XMP is copied byte for byte except for properties of the same meaning, in any namespace and whatever their case:
  /// `Orientation`, sizes, thumbnails, the link to an extended packet, maker notes, and all that say where a picture
  /// was taken, in numbers or in names (`GPS…`, `Location…`, `Sublocation`, `City`, `State`, `Country` …). A packet
  /// that is not well-formed UTF-8, or has a document type, becomes `nil`.
  ///
  /// ``Kind/icc`` concerns ``Image/profile`` and changes nothing here.
  public func kept(_ kinds: Set<Kind>) -> ImageMetadata {
    ImageMetadata(
      exif: kinds.contains(.exif) ? exif.flatMap { ExifRewriter.rewritten($0) } : nil,
      xmp: kinds.contains(.xmp) ? xmp.flatMap { XMPFilter.filtered($0) } : nil)
  }
}
