/// The part of a stored picture to show, and its orientation, by the transformations among its properties.
struct PictureGeometry {
  /// The part, in the stored axes.
  let part: PixelRectangle
  let orientation: Orientation

  /// Applies transformations in their order.
  ///
  /// - Parameters:
  ///   - size: The size before transformations.
  ///   - properties: The properties of the picture.
  ///   - cropping: Pass true to apply the clean aperture.
  init(_ size: PixelSize, by properties: [ItemProperty], cropping: Bool) {
    var turns = PictureTurns()
    var part = PixelRectangle(size)
    for property in properties {
      switch property {
      case .rotation(let quarters): turns.rotate(quarters: quarters)
      case .mirror(let leftRight): turns.mirror(leftRight: leftRight)
      case .aperture(let aperture) where cropping:
        let shown = turns.swapsAxes ? part.size.transposed : part.size
        guard let inner = aperture.part(of: shown) else { continue }
        let stored = turns.unturned(inner, of: shown)
        part = PixelRectangle(x: part.x + stored.x, y: part.y + stored.y, size: stored.size)
      default: break
      }
    }
    (self.part, orientation) = (part, turns.orientation)
  }
}
