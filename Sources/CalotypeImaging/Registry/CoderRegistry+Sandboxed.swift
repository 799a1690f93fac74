extension CoderRegistry {
  /// The coders of a process that decodes for another one and can do nothing else: those of ``standard``, and decoders
  /// whose libraries are not to meet hostile bytes in a process that has anything to lose.
  package static let sandboxed: CoderRegistry = {
    var registry = standard
    #if HEIF
    registry.register(HEIFDecoder())
    #endif
    #if SVG
    registry.register(SVGDecoder())
    #endif
    return registry
  }()

  /// Does all work that opens files the first time it is done, for a process that is about to give them up: opens the
  /// libraries of these formats, and converts colours once.
  package static func warmUp(for formats: Set<ImageFormat>) {
    #if AVIF
    if formats.contains(.avif) { _ = OptionalLibrary.avif.open() }
    #endif
    #if HEIF
    if formats.contains(.heif) { _ = OptionalLibrary.heif.open() }
    #endif
    #if JXL
    if formats.contains(.jxl) { _ = OptionalLibrary.jxl.open() }
    #endif
    #if TIFF
    if formats.contains(.tiff) { _ = OptionalLibrary.tiff.open() }
    #endif
    #if SVG
    if formats.contains(.svg) { SVGDecoder.prepare() }
    #endif
    // The colour engine reads the time zone.
    let profile = ColorProfile.calibrated(ColorProfile.Calibration(gamma: 0.5))
    _ = ColorCache.shared.conversion(from: profile, source: .rgba8)
  }
}
