extension SettingTable {
  static let processing = SettingRows.group(.processing) {
    Setting(
      "STRIP_METADATA", \.processing.stripsMetadata, .flag, .map, "Removes EXIF, IPTC and XMP from results.")
    Setting("KEEP_COPYRIGHT", \.processing.keepsCopyright, .flag, .map, "Keeps copyright nevertheless.")
    Setting(
      "STRIP_METADATA_DPI", \.processing.strippedDPI, .integer(0...65_535), .map,
      "Density of results without metadata, in dots per inch; 0: as it is.")
    Setting(
      "STRIP_COLOR_PROFILE", \.processing.stripsColorProfile, .flag, .map,
      "Converts colours to sRGB and removes the profile.")
    Setting(
      "COLOR_PROFILES_DIR", \.processing.colorProfiles, .path, .map,
      "The folder of the colour profiles that URLs name.")
    Setting(
      "AUTO_ROTATE", \.processing.rotatesAutomatically, .flag, .map, "Applies the orientation of EXIF.")
    Setting(
      "ENFORCE_THUMBNAIL", \.processing.enforcesThumbnail, .flag, .map,
      "Uses the thumbnail inside a HEIC or AVIF file, of any size.")
    Setting("PRESERVE_HDR", \.processing.preservesHDR, .flag, .map, "Keeps more than 8 bits.")
    Setting(
      "USE_LINEAR_COLORSPACE", \.processing.scalesInLinearLight, .flag, .map, "Scales in linear light.")
    Setting(
      "DISABLE_SHRINK_ON_LOAD", \.processing.disablesShrinkOnLoad, .flag, .map,
      "Decodes sources in full even if the result is small.")
    Setting(
      "RETURN_ATTACHMENT", \.processing.returnsAttachment, .flag, .map,
      "Lets browsers save results instead of showing them.")
    Setting(
      "UNSHARP_MASKING_MODE", \.processing.unsharpMasking, choice(Settings.Processing.UnsharpMasking.self),
      .map, "Applies unsharp masking to images that are scaled down.")
    Setting(
      "UNSHARP_MASKING_WEIGHT", \.processing.unsharpWeight, .real(0...1000, excludingZero: true), .map,
      "The weight of unsharp masking.")
    Setting(
      "UNSHARP_MASKING_DIVIDER", \.processing.unsharpDivider, .real(0...1000, excludingZero: true), .map,
      "The divisor of the factor of scaling, which gives the amount of unsharp masking.")
  }

  static let watermark = SettingRows.group(.watermark) {
    Setting("WATERMARK_DATA", \.watermark.data, .base64, .map, "The image.")
    Setting("WATERMARK_PATH", \.watermark.path, .path, .map, "The path of the image.")
    Setting("WATERMARK_URL", \.watermark.url, .url, .map, "The URL of the image.")
    Setting(
      "WATERMARK_OPACITY", \.watermark.opacity, .real(0...1, excludingZero: true), .map,
      "Opacity, by which those of URLs are multiplied.")
    Setting(
      "WATERMARK_DIR", \.watermark.directory, .path, .own,
      "The folder of watermarks that URLs name without a scheme.")
    Setting(
      "WATERMARKS_CACHE_SIZE", \.watermark.cacheSize, .integer(0...65_536), .map,
      "Most decoded watermarks of URLs that are kept.")
    Setting(
      "WATERMARK_PREPROCESS_URL", \.watermark.urlOptions, .text, .map,
      "Options that are applied to watermarks of URLs.")
  }

  static let fallback = SettingRows.group(.fallback) {
    Setting("FALLBACK_IMAGE_DATA", \.fallback.data, .base64, .mapPlus, "The image.")
    Setting("FALLBACK_IMAGE_PATH", \.fallback.path, .path, .mapPlus, "The path of the image.")
    Setting("FALLBACK_IMAGE_URL", \.fallback.url, .url, .mapPlus, "The URL of the image.")
    Setting(
      "FALLBACK_IMAGE_HTTP_CODE", \.fallback.status, .integer(0...599), .map,
      "The status of its response, 100 to 599; 0 for that of the error.")
    Setting(
      "FALLBACK_IMAGE_FOR_UNDECODABLE", \.fallback.coversUndecodable, .flag, .own,
      "Sends it for images that cannot be decoded, too.")
    Setting(
      "FALLBACK_IMAGES_CACHE_SIZE", \.fallback.cacheSize, .integer(0...65_536), .map,
      "Most fallback images of URLs that are kept.")
    Setting(
      "FALLBACK_IMAGE_PREPROCESS_URL", \.fallback.urlOptions, .text, .map,
      "Options that are applied to fallback images of URLs.")
  }
}
