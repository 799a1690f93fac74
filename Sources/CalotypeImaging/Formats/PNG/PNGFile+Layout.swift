extension ImageInfo.Layout {
  init(_ file: PNGFile, profile: ColorProfile?) {
    let (structure, header) = (file.structure, file.structure.header)
    isKnown = true
    needsCanvas = header.isInterlaced || file.firstFrame != nil
    inflatedByteCount = (try? header.inflatedBytes(PNGPass.all(of: header))) ?? .max
    if let data = structure.imageData {
      let first = Int(file.bytes.bigEndian32(at: data.lowerBound)) + 12
      scatteredByteCount = first < data.count ? data.count : 0
    }
    hasProfile = !(profile.map { $0 == .sRGB } ?? true)
    let canvas = header.size.pixelCount
    for frame in structure.animation?.frames ?? [] {
      frames.add(stored: frame.size.pixelCount, on: canvas, beside: frame.disposal == .restore ? canvas : 0)
    }
  }
}
