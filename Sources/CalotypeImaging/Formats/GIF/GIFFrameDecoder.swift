import FoundationEssentials

/// A decoder for the frames of a complete GIF.
final class GIFFrameDecoder: FrameDecoding {
  let info: ImageInfo

  private let data: Data
  private let structure: GIFStructure
  private let compositor: GIFCompositor

  /// Returns `nil` for a still image.
  ///
  /// - Throws: The errors of ``GIFDecoder/decode(_:minimumSize:options:)``, and
  ///   ``ImagingError/limitExceeded(_:value:limit:)`` for the pixels of all frames together.
  init?(_ data: Data, options: DecodeOptions) throws(ImagingError) {
    let structure = try GIFStructure(data.bytes, limits: options.limits)
    guard structure.frames.count > 1 else { return nil }
    if structure.isTruncated, !options.keepsPartial { throw .truncated(.gif, byteCount: data.count) }
    info = structure.info
    try options.limits.check(totalPixelsOf: info, encodedByteCount: data.count)
    self.data = data
    self.structure = structure
    compositor = try GIFCompositor(
      canvas: structure.canvas, options: options)
  }

  var isFramePartial: Bool { compositor.flaws.contains(.partial) }

  var isFrameDamaged: Bool { compositor.flaws.contains(.damaged) }

  func isKeyFrame(_ index: Int) -> Bool {
    index == 0 || (structure.frames.indices.contains(index) && compositor.isIndependent(index, in: structure))
  }

  func frame(at index: Int) throws(ImagingError) -> Bitmap {
    try data.bytes.withUnsafeBytes { (file) throws(ImagingError) in
      try compositor.bitmap(at: index, of: structure, file: file)
    }
  }
}
