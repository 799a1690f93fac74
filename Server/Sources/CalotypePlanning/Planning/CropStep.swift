import CalotypeImaging
import CalotypeURLs

/// The crop of a stage, in the axes of the picture before the rotation of the stage.
///
/// imgproxy places the box on the stored picture, before any rotation, and rounds there. The rectangle is then turned
/// upright.
struct CropStep {
  private let box: PixelSize?
  private let gravity: Gravity
  private let geometry: StageGeometry
  private let turn: Turn
  private let upright: Turn

  init(_ geometry: StageGeometry, gravity: Gravity, turn: Turn, orientation: Orientation) {
    box = geometry.crop.map(turn.apply)
    upright = Turn(orientation)
    self.gravity = upright.undone(on: turn.undone(on: gravity))
    self.geometry = geometry
    self.turn = turn
  }

  /// Returns the size at which a drawing is drawn, so that its crop has the size of the scaled picture.
  func drawnSize(of size: PixelSize) -> PixelSize {
    let source = turn.apply(to: size)
    return turn.apply(
      to: PixelSize(
        width: max(1, Rounding.scaled(source.width, by: geometry.scale.x)),
        height: max(1, Rounding.scaled(source.height, by: geometry.scale.y))))
  }

  /// Returns the size after the crop of a picture, which is the source, or a drawing at the scale of the result.
  func size(in picture: PixelSize) -> PixelSize {
    guard let box else { return picture }
    guard picture != turn.apply(to: geometry.source) else { return box }
    let scaled = turn.apply(to: geometry.scaled)
    return PixelSize(
      width: min(picture.width, scaled.width), height: min(picture.height, scaled.height))
  }

  /// Returns the operation for a picture; `nil` if nothing is cropped.
  func operation(in picture: PixelSize) -> PixelOperation? {
    let box = size(in: picture)
    guard box != picture else { return nil }
    if gravity.kind == .smart { return .smartCrop(box) }
    let (stored, storedBox) = (upright.apply(to: picture), upright.apply(to: box))
    let origin = GravityPlacement(of: storedBox, in: stored).origin(for: scaled(gravity, to: picture))
    return .crop(upright.apply(to: PixelRegion(origin: origin, size: storedBox), in: stored))
  }

  /// Returns a gravity whose offsets in pixels are those of a drawing at another size.
  private func scaled(_ gravity: Gravity, to picture: PixelSize) -> Gravity {
    let source = upright.apply(to: turn.apply(to: geometry.source))
    let stored = upright.apply(to: picture)
    guard source != stored, gravity.kind != .focusPoint else { return gravity }
    func offset(_ offset: Double?, _ whole: Int, _ side: Int) -> Double? {
      guard let offset, abs(offset) >= 1 else { return offset }
      return (offset * Double(side) / Double(whole)).rounded(.toNearestOrEven)
    }
    return Gravity(
      gravity.kind, x: offset(gravity.x, source.width, stored.width),
      y: offset(gravity.y, source.height, stored.height))
  }
}
