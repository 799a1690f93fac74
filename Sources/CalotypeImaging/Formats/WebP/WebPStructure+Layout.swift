extension ImageInfo.Layout {
  init(_ structure: WebPStructure) {
    // A header is read before its picture if there is an alpha channel.
    if let frame = structure.frames.first {
      isKnown = true
      isLossless = frame.isLossless
      needsCanvas = frame.size != structure.canvas
    }
    hasProfile = structure.colorProfile != nil
    frames = structure.work
  }
}
