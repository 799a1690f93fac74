extension ImageInfo.Layout {
  init(_ structure: WebPStructure) {
    isKnown = true
    isLossless = structure.firstFrame.isLossless
    needsCanvas = structure.firstFrame.size != structure.canvas
    hasProfile = structure.colorProfile != nil
    frames = structure.work
  }
}
