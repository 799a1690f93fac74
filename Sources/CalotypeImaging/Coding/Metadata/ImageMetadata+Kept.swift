import FoundationEssentials

extension ImageMetadata {
  /// Returns the metadata that may be written with a picture derived from this one: the blocks of these kinds, without
  /// data that must not or need not be passed on.
  ///
  /// Exif is rewritten in its byte order, with its values byte for byte: directory 0, the Exif directory and the
  /// interoperability directory. Left out are positions (the GPS directory, and maker notes, which may contain
  /// positions), the orientation (pixels are written upright), thumbnails (directory 1), the size of the stored
  /// picture, all references to pixels, and embedded blocks of other kinds (XMP, IPTC, Photoshop, ICC). Entries that
  /// violate TIFF are left out; a block without readable entries becomes `nil`.
  ///
  /// XMP is copied byte for byte except for properties of the same meaning, in any namespace and any letter case:
  /// `Orientation`, sizes, thumbnails, the link to an extended packet, maker notes, and all locations of a picture, in
  /// numbers or in names (`GPS…`, `Location…`, `Sublocation`, `City`, `State`, `Country` …). A packet that is not
  /// well-formed UTF-8, or has a document type, becomes `nil`.
  ///
  /// With ``Kind/copyright``, a block of a kind that is not kept is reduced to its statements of authorship.
  ///
  /// ``Kind/icc`` concerns ``Image/profile`` and changes nothing here.
  public func kept(_ kinds: Set<Kind>) -> ImageMetadata {
    var kept = ImageMetadata()
    let keepsCopyright = kinds.contains(.copyright)
    if kinds.contains(.exif) || keepsCopyright {
      let tags = kinds.contains(.exif) ? nil : ExifRewriter.copyright
      kept.exif = exif.flatMap { ExifRewriter.rewritten($0, tags: tags) }
    }
    if kinds.contains(.xmp) || keepsCopyright {
      kept.xmp = xmp.flatMap { XMPFilter.filtered($0, keepsCopyrightAlone: !kinds.contains(.xmp)) }
    }
    return kept
  }
}
