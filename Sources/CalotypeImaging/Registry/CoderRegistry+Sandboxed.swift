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

  /// The formats whose libraries are opened when they are first needed.
  package static let formatsOfLibraries = Set(OptionalLibrary.all.map(\.format))

  /// Does all work that opens files the first time it is done, for a process that is about to give them up: opens the
  /// libraries of these formats, and no other ones afterwards, and converts colours once.
  package static func warmUp(for formats: Set<ImageFormat>) {
    for library in OptionalLibrary.all where formats.contains(library.format) { _ = library.open() }
    #if SVG
    if formats.contains(.svg) { SVGDecoder.prepare() }
    #endif
    OptionalLibrary.seal()
    // The colour engine reads the time zone.
    let profile = ColorProfile.calibrated(ColorProfile.Calibration(gamma: 0.5))
    _ = ColorCache.shared.conversion(from: profile, source: .rgba8)
  }

  /// Returns true if the library of a format cannot be used in this process.
  package static func lacksLibrary(of format: ImageFormat) -> Bool {
    OptionalLibrary.all.contains { $0.format == format && $0.open() != nil }
  }
}
