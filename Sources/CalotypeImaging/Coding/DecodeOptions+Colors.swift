extension DecodeOptions {
  /// Returns true if colours under a profile are converted to sRGB.
  package func converts(_ profile: ColorProfile?) -> Bool {
    colors == .sRGB && (toneMapping == .sRGB || (profile?.dynamicRange ?? .standard) == .standard)
  }

  /// Returns true if tones of this range are mapped to those of sRGB. Decoders then deliver all bits of the samples:
  /// 8 bits of PQ or HLG do not suffice for smooth tones.
  package func mapsTones(of range: ImageInfo.DynamicRange) -> Bool {
    colors == .sRGB && toneMapping == .sRGB && range != .standard
  }

  /// Returns true if tones of this profile are mapped to those of sRGB.
  func mapsTones(of profile: ColorProfile?) -> Bool { mapsTones(of: profile?.dynamicRange ?? .standard) }
}
