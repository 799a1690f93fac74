import CalotypeImaging
import CalotypeURLs

/// Operations in the terms of transforms.
struct TransformMapping {
  /// The pixels of the watermarks by name.
  let watermarks: [String: Bitmap]
  private(set) var transforms: [ImageTransform] = []
  /// The picture now.
  private var size: PixelSize

  init(watermarks: [String: Bitmap], picture: PixelSize) {
    self.watermarks = watermarks
    size = picture
  }

  mutating func append(_ operation: PixelOperation) throws(RenderingError) {
    switch operation {
    case .trim(let trim): add(mapped(trim), size)
    case .crop(let region): add(.crop(region), region.size)
    case .smartCrop(let box):
      add(.crop(.box(width: box.width, height: box.height, anchor: .attention)), box)
    case .scale(let scale):
      add(
        .resize(
          width: scale.size.width, height: scale.size.height, mode: .stretch, enlarges: true,
          filter: scale.kernel.filter, linearLight: scale.isLinear), scale.size)
    case .rotate(let quarters):
      // Transforms turn counter-clockwise.
      add(.rotate(degrees: Double(360 - 90 * quarters)), quarters % 2 == 1 ? size.transposed : size)
    case .flip(let horizontally, let vertically):
      if horizontally { add(.flip(.horizontal), size) }
      if vertically { add(.flip(.vertical), size) }
    case .blur(let sigma): add(.blur(sigma: sigma), size)
    case .sharpen(let sigma): add(.lightnessSharpen(sigma: sigma.limited(to: 0...20, orIfNaN: 0)), size)
    case .unsharpMask(let weight, let divider):
      // One number of both decides.
      let share = (weight / divider).limited(to: 0...1000, orIfNaN: 0)
      add(.unsharpMask(weight: share, divider: 1), size)
    case .pixelate(let side): pixelate(side)
    case .adjust, .monochrome, .duotone, .colorize:
      for step in operation.colorTransforms { add(step, size) }
    case .canvas(let canvas): put(on: canvas)
    case .flatten(let color, let alpha): add(.flatten(background: PixelColor(color, alpha: alpha)), size)
    case .watermark(let mark): add(try WatermarkTile(mark, pixels: watermarks[mark.id]).overlay(), size)
    case .blurAreas(let regions, let sigma): add(.blurAreas(regions.map { .init($0) }, sigma: sigma), size)
    case .progressiveBlur(let sigma, let ramp):
      add(
        .progressiveBlur(sigma: sigma, degrees: ramp.degrees, start: ramp.from, stop: ramp.to), size)
    case .gradient(let opacity, let color, let ramp):
      add(
        .gradient(
          PixelColor(color), opacity: opacity.limited(to: 0...1, orIfNaN: 0), degrees: ramp.degrees,
          start: ramp.from, stop: ramp.to), size)
    }
  }

  private mutating func add(_ transform: ImageTransform, _ result: PixelSize) {
    transforms.append(transform)
    size = result
  }

  private func mapped(_ trim: TrimOperation) -> ImageTransform {
    let equal: Transforms.Trim.EqualMargins =
      switch (trim.isEqualHorizontally, trim.isEqualVertically) {
      case (false, false): .separate
      case (true, false): .horizontal
      case (false, true): .vertical
      case (true, true): .both
      }
    return .trim(
      color: trim.color.map { PixelColor($0) }, tolerance: trim.threshold.limited(to: 0...255, orIfNaN: 0),
      ground: PixelColor(red: 255, green: 0, blue: 255), corner: Transforms.Trim.Corner(trim.corner),
      equalMargins: equal)
  }

  /// Adds the steps of a mosaic: means of tiles, enlarged by copies. The picture is mirrored up to whole tiles.
  private mutating func pixelate(_ side: Int) {
    let picture = size
    let grid = MosaicGrid(side: side, over: picture)
    let whole = grid.whole
    if whole != picture {
      add(
        .pad(bottom: whole.height - picture.height, right: whole.width - picture.width, fill: .mirror), whole)
    }
    add(
      .resize(width: grid.count.width, height: grid.count.height, mode: .stretch, filter: .box), grid.count)
    add(
      .resize(width: whole.width, height: whole.height, mode: .stretch, enlarges: true, filter: .nearest),
      whole)
    if whole != picture { add(.crop(PixelRegion(origin: PixelPoint(x: 0, y: 0), size: picture)), picture) }
  }

  private mutating func put(on canvas: CanvasOperation) {
    for step in canvas.transforms(of: size) { add(step, size) }
    size = canvas.size
  }
}

extension ImageTransform {
  /// Cuts out a rectangle.
  static func crop(_ region: PixelRegion) -> ImageTransform {
    .crop(
      .pixels(x: region.origin.x, y: region.origin.y, width: region.size.width, height: region.size.height))
  }
}

extension RampOperation {
  /// ``start`` within the range of transforms.
  fileprivate var from: Double { start.limited(to: -100...100, orIfNaN: 0) }
  /// ``stop`` within the range of transforms.
  fileprivate var to: Double { stop.limited(to: -100...100, orIfNaN: 1) }
}

extension Transforms.BlurAreas.Area {
  fileprivate init(_ region: PixelRegion) {
    self.init(
      x: region.origin.x, y: region.origin.y, width: region.size.width, height: region.size.height)
  }
}

extension Transforms.Trim.Corner {
  /// The corner of the upright picture in which the first stored pixel lies.
  fileprivate init(_ orientation: Orientation) {
    switch orientation {
    case .topLeft, .leftTop: self = .topLeft
    case .topRight, .rightTop: self = .topRight
    case .bottomLeft, .leftBottom: self = .bottomLeft
    case .bottomRight, .rightBottom: self = .bottomRight
    }
  }
}

extension PixelColor {
  /// A colour with an opacity.
  init(_ color: RGBColor, alpha: Double = 1) {
    self.init(
      red: color.red, green: color.green, blue: color.blue,
      alpha: UInt8((alpha.limited(to: 0...1, orIfNaN: 1) * 255).rounded()))
  }
}
