import FoundationEssentials

/// A decoder for the frames of a complete APNG.
final class PNGFrameDecoder: FrameDecoding {
  let info: ImageInfo
  let profile: ColorProfile?
  private let data: Data
  private let structure: PNGStructure
  private let options: DecodeOptions
  private let compositor: PNGCompositor

  /// Creates a decoder; `structure` is the structure of `data`.
  init(
    _ data: Data, _ structure: PNGStructure, info: ImageInfo, profile: ColorProfile?, options: DecodeOptions
  ) {
    self.data = data
    self.structure = structure
    self.info = info
    self.profile = profile
    self.options = options
    compositor = PNGCompositor(options.limits)
  }

  var isFramePartial: Bool { compositor.flaws.contains(.partial) }

  var isFrameDamaged: Bool { compositor.flaws.contains(.damaged) }

  func isKeyFrame(_ index: Int) -> Bool {
    data.withUnsafeBytes { bytes in
      compositor.isIndependent(index, of: PNGFile(bytes: bytes, structure: structure, options: options))
    }
  }

  func frame(at index: Int) throws(ImagingError) -> Bitmap {
    try data.withUnsafeBytes { bytes in
      Result { () throws(ImagingError) in
        try compositor.frame(at: index, of: PNGFile(bytes: bytes, structure: structure, options: options))
      }
    }.get()
  }
}
