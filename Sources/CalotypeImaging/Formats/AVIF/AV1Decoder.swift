#if AVIF
import CAVIF
import CPixels

/// A decoder of the AV1 data of an item or a track, on the calling thread.
final class AV1Decoder {
  /// The layers of an item (AV1-ISOBMFF, 2.3.2).
  struct Layers: Hashable, Sendable {
    /// The operating point.
    var operatingPoint: UInt8 = 0
    /// The layer to show; `nil` shows the highest.
    var selected: Int?
    /// A Boolean value that indicates whether every layer is delivered.
    var deliversAll = false
  }

  /// The size of every picture.
  let size: PixelSize
  private let layers: Layers
  private let decoder: OpaquePointer
  private let byteLimit: Int

  /// Creates a decoder of pictures of one size.
  ///
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)`` for sides that AV1 does not have,
  ///   ``ImagingError/outOfMemory(byteCount:)``.
  init(size: PixelSize, layers: Layers = Layers(), limits: DecodeLimits) throws(ImagingError) {
    // AV1 specification, 5.5.1: sides have 16 bits.
    guard 1...65_536 ~= size.width, 1...65_536 ~= size.height else {
      throw .corrupt(.avif, reason: "\(size) is no size of AV1", offset: nil)
    }
    byteLimit = max(0, limits.maxMemoryBytes)
    var settings = cavif_settings(
      width: UInt32(size.width), height: UInt32(size.height), max_bytes: byteLimit,
      operating_point: Int32(layers.operatingPoint), all_layers: layers.selected != nil || layers.deliversAll)
    guard let decoder = cavif_decoder_create(&settings) else { throw .outOfMemory(byteCount: 1 << 20) }
    (self.size, self.layers, self.decoder) = (size, layers, decoder)
  }

  deinit { cavif_decoder_free(decoder) }

  /// Decodes the data of an item or a sample.
  ///
  /// - Returns: The picture to show: that of the selected layer, or else the last.
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)`` without a picture, and for one of another size.
  func picture(of unit: UnsafeRawBufferPointer) throws(ImagingError) -> AV1Picture {
    guard let start = unit.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      throw error(CAVIF_NO_PICTURE)
    }
    try check(cavif_decoder_send(decoder, start, unit.count))
    var shown: AV1Picture?
    while true {
      var raw = cavif_picture()
      let status = cavif_decoder_picture(decoder, &raw)
      if status == CAVIF_NO_PICTURE { break }
      try check(status)
      let picture = AV1Picture(raw)
      if layers.selected == nil || layers.selected == Int(raw.layer) { shown = picture }
    }
    guard let shown else { throw error(CAVIF_NO_PICTURE) }
    guard layers.deliversAll || shown.size == size else { throw error(CAVIF_WRONG_SIZE) }
    return shown
  }

  /// Forgets what later pictures refer to, before the data of another key frame.
  func restart() { cavif_decoder_flush(decoder) }

  private func check(_ status: cavif_status) throws(ImagingError) {
    if status != CAVIF_DONE { throw error(status) }
  }

  private func error(_ status: cavif_status) -> ImagingError {
    switch status {
    case CAVIF_NO_PICTURE: .corrupt(.avif, reason: "the AV1 data hold no picture", offset: nil)
    case CAVIF_WRONG_SIZE:
      .corrupt(.avif, reason: "the AV1 picture is not of \(size) pixels, as the file says", offset: nil)
    case CAVIF_NO_MEMORY: .outOfMemory(byteCount: size.pixelCount)
    case CAVIF_TOO_MANY_FRAMES:
      .corrupt(.avif, reason: "the AV1 data hold more frames than one picture needs", offset: nil)
    case CAVIF_UNSUPPORTED: .unsupportedFormat(.avif, reason: "dav1d does not decode this kind of AV1")
    default: .corrupt(.avif, reason: "the AV1 data are damaged", offset: nil)
    }
  }
}

/// A decoded picture of AV1, and its reference.
final class AV1Picture {
  private var raw: cavif_picture

  init(_ raw: cavif_picture) { self.raw = raw }

  deinit { cavif_picture_free(&raw) }

  /// The planes; they live as long as this object.
  var planes: cpx_planes { raw.planes }
  /// The colours that the AV1 data state.
  var colors: cpx_code_points { raw.colors }
  /// The brightest pixel in cd/m²; `nil` if it is not known.
  var maxLight: Int? { raw.max_light > 0 ? Int(raw.max_light) : nil }

  var size: PixelSize { PixelSize(width: Int(raw.planes.width), height: Int(raw.planes.height)) }
}
#endif
