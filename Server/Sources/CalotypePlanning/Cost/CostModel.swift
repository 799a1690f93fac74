import CalotypeImaging
import CalotypeURLs

/// Predicts the work of a plan from headers.
struct CostModel {
  private let coefficients: CostCoefficients

  init(_ coefficients: CostCoefficients) { self.coefficients = coefficients }

  /// Bytes of a pixel.
  private static let pixelBytes = 4.0

  /// Returns the predicted work.
  ///
  /// - Parameter watermarks: Those that may have to be decoded for it.
  func cost(
    of plan: RenderPlan, info: ImageInfo, decoding watermarks: [WatermarkImage] = []
  ) -> PredictedCost {
    let options = plan.decodeOptions(for: info)
    let frames = Double(max(1, plan.decode.frames ?? 1))
    var milliseconds = milliseconds(options.predictedDuration(for: info)) * frames
    let isAnimated = plan.decode.frames != nil
    let decoding = isAnimated ? options.frameByteCount(for: info) : options.workingByteCount(for: info)
    var bytes = Double(decoding)
    // The pixels of watermarks are held from the beginning.
    var held = 0.0
    let drawn = plan.watermarks
    for mark in watermarks where drawn.contains(mark.id) {
      milliseconds += mark.decoding.milliseconds
      held += Double(mark.decoding.byteCount)
    }

    var picture = plan.decode.appliesOrientation ? info.orientation.apply(to: info.size) : info.size
    if let drawn = plan.decode.drawnSize { picture = drawn }
    var isFolded = options.thumbnail != nil && plan.decode.drawnSize == nil
    for (operation, result) in zip(plan.operations, plan.sizes) {
      // The decoder scales on its way, or the picture is much smaller by the time it is cropped.
      if isFolded {
        isFolded = false
      } else {
        milliseconds += frames * nanoseconds(operation, from: picture, to: result) / 1e6
        bytes = max(bytes, Self.pixelBytes * (pixels(picture) + pixels(largest(operation, on: result))))
      }
      if case .watermark(let mark) = operation {
        let area = mark.canvases.reduce(0) { $0 + pixels($1) }
        held += Self.pixelBytes * area
        let shadow = mark.shadow > 0 ? coefficients.blur : 0
        milliseconds += (coefficients.scale + coefficients.compose + shadow) * area / 1e6
      }
      picture = result
    }
    if let encoding = try? plan.encode.options() {
      milliseconds += self.milliseconds(
        encoding.predictedDuration(for: picture, frameCount: plan.decode.frames ?? 1))
    }
    bytes = max(bytes, (Self.pixelBytes + coefficients.encoderBytes) * pixels(picture))
    return PredictedCost(
      milliseconds: min(milliseconds, 1e15), byteCount: Int(min(bytes + held, 0x1p62)))
  }

  /// Returns the largest picture that an operation makes on its way to its result.
  private func largest(_ operation: PixelOperation, on result: PixelSize) -> PixelSize {
    if case .pixelate(let side) = operation { return MosaicGrid(side: side, over: result).whole }
    return result
  }

  private func pixels(_ size: PixelSize) -> Double { Double(size.width) * Double(size.height) }

  private func milliseconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) * 1e3 + Double(duration.components.attoseconds) / 1e15
  }

  private func nanoseconds(
    _ operation: PixelOperation, from source: PixelSize, to result: PixelSize
  ) -> Double {
    let (before, after) = (pixels(source), pixels(result))
    let work: Double =
      switch operation {
      case .trim: coefficients.trim * before
      case .crop, .rotate, .flip, .canvas: coefficients.move * after
      case .smartCrop: coefficients.search * before
      case .scale: coefficients.scale * max(before, after)
      case .blur, .progressiveBlur: coefficients.blur * after
      case .blurAreas(let areas, _): coefficients.blur * areas.reduce(0) { $0 + pixels($1.size) }
      case .sharpen, .unsharpMask: coefficients.sharpen * after
      case .pixelate: 2 * coefficients.scale * pixels(largest(operation, on: result))
      case .adjust, .monochrome, .duotone, .colorize, .gradient: coefficients.color * after
      case .flatten, .watermark: coefficients.compose * after
      }
    return work + 1e3 * coefficients.step
  }
}
