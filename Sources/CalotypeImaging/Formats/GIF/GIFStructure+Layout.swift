extension ImageInfo.Layout {
  init(_ structure: GIFStructure) {
    isKnown = true
    needsCanvas = structure.firstFrame.isInterlaced || !structure.fillsCanvas(structure.firstFrame)
    frames = structure.work
  }
}
