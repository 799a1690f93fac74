#if AVIF
import CAVIF

/// The planes of a picture: those of a decoded picture, or planes of its own.
final class AVIFPlanes {
  private(set) var raw: cavif_planes
  /// The picture that the planes belong to; `nil` if they are this object's own.
  private let owner: AV1Picture?

  /// Takes the planes of a decoded picture.
  init(_ picture: AV1Picture) { (raw, owner) = (picture.planes, picture) }

  private init(owning planes: cavif_planes) { (raw, owner) = (planes, nil) }

  deinit {
    if owner == nil { cavif_planes_free(&raw) }
  }

  var size: PixelSize { PixelSize(width: Int(raw.width), height: Int(raw.height)) }
  var depth: Int { Int(raw.depth) }
  var isMonochrome: Bool { raw.layout == CAVIF_400 }

  /// Returns planes that `divisor`, 2, 4 or 8, has divided, by the mean of each box, with chroma at full resolution.
  func shrunk(by divisor: Int) throws(ImagingError) -> AVIFPlanes {
    var shrunk = cavif_planes()
    guard cavif_planes_shrink(&raw, UInt32(divisor), &shrunk) else {
      throw .outOfMemory(byteCount: 3 * size.pixelCount / (divisor * divisor))
    }
    return AVIFPlanes(owning: shrunk)
  }

  /// Returns a copy of luma, scaled from the limited to the full range.
  func expandedRange() throws(ImagingError) -> AVIFPlanes {
    var expanded = cavif_planes()
    guard cavif_planes_expand_range(&raw, &expanded) else { throw .outOfMemory(byteCount: size.pixelCount) }
    return AVIFPlanes(owning: expanded)
  }

  /// Creates the canvas of a grid, in the layout of its first tile.
  static func canvas(_ size: PixelSize, like tile: AVIFPlanes) throws(ImagingError) -> AVIFPlanes {
    var planes = cavif_planes()
    guard
      cavif_planes_allocate(
        &planes, UInt32(size.width), UInt32(size.height), tile.raw.depth, tile.raw.layout)
    else { throw .outOfMemory(byteCount: 3 * size.pixelCount) }
    return AVIFPlanes(owning: planes)
  }

  /// Copies a tile of the same depth and layout.
  func place(_ tile: AVIFPlanes, x: Int, y: Int) throws(ImagingError) {
    guard tile.depth == depth, tile.raw.layout == raw.layout else {
      throw .corrupt(.avif, reason: "the tiles of the grid differ in depth or chroma", offset: nil)
    }
    cavif_planes_copy(&tile.raw, &raw, UInt32(x), UInt32(y))
  }

  /// Returns whether the planes can be tiles of a grid: their sides are even where chroma is halved.
  var isTile: Bool {
    switch raw.layout {
    case CAVIF_420: raw.width % 2 == 0 && raw.height % 2 == 0
    case CAVIF_422: raw.width % 2 == 0
    default: true
    }
  }
}
#endif
