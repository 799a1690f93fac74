/// The tags of a directory that are read.
package enum TIFFTag: UInt16, Sendable {
  case width = 256
  case height = 257
  case bitsPerSample = 258
  case stripOffsets = 273
  case orientation = 274
  case samplesPerPixel = 277
  case rowsPerStrip = 278
  case stripByteCounts = 279
  case planarConfiguration = 284
  case tileWidth = 322
  case tileHeight = 323
  case tileOffsets = 324
  case tileByteCounts = 325
  case subDirectories = 330
  case extraSamples = 338
  case profile = 34675
}
