/// The tags of a directory that are read.
package enum TIFFTag: UInt16, Sendable {
  case subfileType = 254
  case oldSubfileType = 255
  case width = 256
  case height = 257
  case bitsPerSample = 258
  case compression = 259
  case photometric = 262
  case fillOrder = 266
  case stripOffsets = 273
  case orientation = 274
  case samplesPerPixel = 277
  case rowsPerStrip = 278
  case stripByteCounts = 279
  case planarConfiguration = 284
  case colorMap = 320
  case tileWidth = 322
  case tileHeight = 323
  case tileOffsets = 324
  case tileByteCounts = 325
  case subDirectories = 330
  case inkSet = 332
  case extraSamples = 338
  case sampleFormat = 339
  case jpegTables = 347
  case jpegStart = 513
  case jpegByteCount = 514
  case jpegRestartInterval = 515
  case jpegQuantisation = 519
  case jpegDCTables = 520
  case jpegACTables = 521
  case chromaSubsampling = 530
  case referenceBlackWhite = 532
  case xmp = 700
  case profile = 34675
}
