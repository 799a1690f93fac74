extension ImageInfo.Layout {
  init(_ header: JPEGHeader) {
    isKnown = true
    samplesPerPixel = header.samplesPerPixel
    coefficientByteCount = header.hasSeveralScans ? header.blockCount * 128 : 0
    hasProfile = header.profile != nil
  }
}
