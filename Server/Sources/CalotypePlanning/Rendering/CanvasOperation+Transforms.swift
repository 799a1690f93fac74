import CalotypeImaging

extension CanvasOperation {
  /// Returns the steps for a picture of this size: a cut of all parts outside the canvas, then the padding.
  func transforms(of picture: PixelSize) -> [ImageTransform] {
    let left = max(0, -origin.x)
    let top = max(0, -origin.y)
    let kept = PixelRegion(
      x: left, y: top, width: min(picture.width, size.width - origin.x) - left,
      height: min(picture.height, size.height - origin.y) - top)
    var steps: [ImageTransform] = []
    if kept.size != picture { steps.append(.crop(kept)) }
    let (x, y) = (max(0, origin.x), max(0, origin.y))
    if kept.size != size {
      steps.append(
        .pad(
          top: y, left: x, bottom: size.height - y - kept.size.height,
          right: size.width - x - kept.size.width))
    }
    return steps
  }
}
