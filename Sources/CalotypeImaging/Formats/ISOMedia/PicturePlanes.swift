import CPixels

/// The planes of a picture: those of a decoded picture, or planes of its own.
final class PicturePlanes {
  private(set) var raw: cpx_planes
  /// The owner of the planes; `nil` if they are this object's own.
  private let owner: AnyObject?

  /// Takes planes that live as long as their owner.
  init(_ planes: cpx_planes, owner: AnyObject) { (raw, self.owner) = (planes, owner) }

  private init(owning planes: cpx_planes) { (raw, owner) = (planes, nil) }

  deinit {
    if owner == nil { cpx_planes_free(&raw) }
  }

  var size: PixelSize { PixelSize(width: Int(raw.width), height: Int(raw.height)) }
  var depth: Int { Int(raw.depth) }
  var isMonochrome: Bool { raw.chroma == CPX_CHROMA_NONE }

  /// Returns planes that `divisor`, 2, 4 or 8, has divided, by the mean of each box, with chroma at full resolution.
  func shrunk(by divisor: Int) throws(ImagingError) -> PicturePlanes {
    var shrunk = cpx_planes()
    guard cpx_planes_shrink(&raw, UInt32(divisor), &shrunk) else {
      throw .outOfMemory(byteCount: 3 * size.pixelCount / (divisor * divisor))
    }
    return PicturePlanes(owning: shrunk)
  }

  /// Returns a copy of luma, scaled from the limited to the full range.
  func expandedRange() throws(ImagingError) -> PicturePlanes {
    var expanded = cpx_planes()
    guard cpx_planes_expand_range(&raw, &expanded) else { throw .outOfMemory(byteCount: size.pixelCount) }
    return PicturePlanes(owning: expanded)
  }

  /// Returns the part of these planes in the upper left corner, of at most a size.
  func cropped(to size: PixelSize) -> PicturePlanes {
    var part = raw
    part.width = min(part.width, UInt32(size.width))
    part.height = min(part.height, UInt32(size.height))
    return PicturePlanes(part, owner: self)
  }

  /// Luma alone.
  var luma: PicturePlanes {
    var part = raw
    part.chroma = CPX_CHROMA_NONE
    (part.data.1, part.data.2) = (nil, nil)
    return PicturePlanes(part, owner: self)
  }

  /// Creates the canvas of a grid, in the layout of its first tile.
  static func canvas(_ size: PixelSize, like tile: PicturePlanes) throws(ImagingError) -> PicturePlanes {
    var planes = cpx_planes()
    guard
      cpx_planes_allocate(
        &planes, UInt32(size.width), UInt32(size.height), tile.raw.depth, tile.raw.chroma)
    else { throw .outOfMemory(byteCount: 3 * size.pixelCount) }
    return PicturePlanes(owning: planes)
  }

  /// Copies a tile of the same depth and layout.
  func place(_ tile: PicturePlanes, x: Int, y: Int, format: ImageFormat) throws(ImagingError) {
    guard tile.depth == depth, tile.raw.chroma == raw.chroma else {
      throw .corrupt(format, reason: "the tiles of the grid differ in depth or chroma", offset: nil)
    }
    cpx_planes_copy(&tile.raw, &raw, UInt32(x), UInt32(y))
  }

  /// Returns whether the planes can be tiles of a grid: their sides are even where chroma is halved.
  var isTile: Bool {
    switch raw.chroma {
    case CPX_CHROMA_420: raw.width % 2 == 0 && raw.height % 2 == 0
    case CPX_CHROMA_422: raw.width % 2 == 0
    default: true
    }
  }
}
