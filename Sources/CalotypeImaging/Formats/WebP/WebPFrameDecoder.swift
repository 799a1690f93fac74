import FoundationEssentials

/// A decoder for the frames of a complete animated WebP.
final class WebPFrameDecoder: FrameDecoding {
  let info: ImageInfo
  let profile: ColorProfile?

  private let data: Data
  private let structure: WebPStructure
  private let compositor: WebPCompositor

  /// Returns `nil` for a still image.
  ///
  /// - Throws: The errors of ``WebPDecoder/decode(_:minimumSize:options:)``, and
  ///   ``ImagingError/limitExceeded(_:value:limit:)`` for the pixels of all frames together.
  init?(_ data: Data, options: DecodeOptions) throws(ImagingError) {
    let (structure, info, profile) = try data.bytes.withUnsafeBytes { (file) throws(ImagingError) in
      let structure = try WebPStructure(file, limits: options.limits)
      return (structure, structure.info(of: file), structure.profile(of: file))
    }
    guard structure.frames.count > 1 else { return nil }
    if structure.isTruncated, !options.keepsPartial { throw .truncated(.webp, byteCount: data.count) }
    try options.limits.check(totalPixelsOf: info, encodedByteCount: data.count)
    self.data = data
    self.structure = structure
    self.info = info
    self.profile = profile
    compositor = try WebPCompositor(
      canvas: structure.canvas, allowsPartial: options.keepsPartial, limits: options.limits)
  }

  var isFramePartial: Bool { compositor.isPartial }

  func isKeyFrame(_ index: Int) -> Bool {
    index == 0 || (structure.frames.indices.contains(index) && compositor.isIndependent(index, in: structure))
  }

  func frame(at index: Int) throws(ImagingError) -> Bitmap {
    try data.bytes.withUnsafeBytes { (file) throws(ImagingError) in
      try compositor.bitmap(at: index, of: structure, file: file)
    }
  }
}
