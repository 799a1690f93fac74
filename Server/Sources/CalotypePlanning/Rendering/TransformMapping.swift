import CalotypeImaging
import CalotypeURLs

/// Operations in the terms of transforms.
struct TransformMapping {
  /// The pixels of the watermark.
  let watermark: Bitmap?
  private(set) var transforms: [ImageTransform] = []
  private(set) var approximations: Set<MissingPrimitive> = []
  /// The picture now.
  private var size: PixelSize

  init(watermark: Bitmap?, picture: PixelSize) {
    self.watermark = watermark
    size = picture
  }

  mutating func append(_ operation: PixelOperation) throws(RenderingError) {
    switch operation {
    case .trim(let trim): add(mapped(trim), size)
    case .crop(let region): add(.crop(region), region.size)
    case .smartCrop(let box):
      add(.crop(.box(width: box.width, height: box.height, anchor: .attention)), box)
    case .scale(let scale):
      if scale.kernel == .lanczos2 { approximations.insert(.lanczos2) }
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
    case .sharpen(let sigma):
      approximations.insert(.lightnessSharpen)
      add(.sharpen(sigma: sigma), size)
    case .unsharpMask(let weight, let divider):
      approximations.insert(.neighbourUnsharpMask)
      add(.sharpen(sigma: 0.85, amount: min(100, 9 * weight / divider)), size)
    case .pixelate(let side): pixelate(side)
    case .adjust, .monochrome, .duotone, .colorize:
      for step in operation.colorTransforms { add(step, size) }
    case .canvas(let canvas): put(on: canvas)
    case .flatten(let color, let alpha):
      guard alpha == 1 else { throw .missing(.translucentFlatten) }
      add(.flatten(background: PixelColor(color)), size)
    case .watermark(let mark):
      if mark.shadow > 0 { approximations.insert(.watermarkShadow) }
      add(try WatermarkTile(mark, pixels: watermark).overlay(), size)
    case .blurAreas: throw .missing(.areaBlur)
    case .progressiveBlur: throw .missing(.progressiveBlur)
    case .gradient: throw .missing(.gradient)
    }
  }

  private mutating func add(_ transform: ImageTransform, _ result: PixelSize) {
    transforms.append(transform)
    size = result
  }

  private mutating func mapped(_ trim: TrimOperation) -> ImageTransform {
    approximations.insert(.exactTrim)
    let magenta = RGBColor(red: 255, green: 0, blue: 255)
    let key = trim.color == magenta ? PixelColor.clear : trim.color.map { PixelColor($0) }
    return .trim(color: key, tolerance: Int(trim.threshold.limited(to: 0...255, orIfNaN: 0)))
  }

  /// Adds the steps of a mosaic: means of squares, enlarged by copies. The picture is mirrored up to whole squares.
  private mutating func pixelate(_ side: Int) {
    let picture = size
    let columns = (picture.width - 1) / side + 1
    let rows = (picture.height - 1) / side + 1
    let whole = PixelSize(width: columns * side, height: rows * side)
    if whole != picture {
      add(
        .pad(bottom: whole.height - picture.height, right: whole.width - picture.width, fill: .mirror), whole)
    }
    add(
      .resize(width: columns, height: rows, mode: .stretch, filter: .box),
      PixelSize(width: columns, height: rows))
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

extension PixelColor {
  /// A colour with an opacity.
  init(_ color: RGBColor, alpha: Double = 1) {
    self.init(
      red: color.red, green: color.green, blue: color.blue,
      alpha: UInt8((alpha.limited(to: 0...1, orIfNaN: 1) * 255).rounded()))
  }
}
