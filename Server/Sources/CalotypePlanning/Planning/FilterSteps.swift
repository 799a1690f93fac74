import CalotypeImaging
import CalotypeURLs

/// The filters of a stage, in their order.
enum FilterSteps {
  /// The largest deviation of a blur in pixels: no larger one can be told from it.
  private static let largestDeviation = 1000.0

  /// Returns the operations of a stage; those that change nothing are left out.
  static func operations(
    of stage: ProcessingStage, policy: PlanningPolicy, size: PixelSize, isShrunk: Bool
  ) -> [PixelOperation] {
    var steps: [PixelOperation] = []
    if let sigma = stage.blur, sigma > 0 { steps.append(.blur(sigma: min(sigma, largestDeviation))) }
    if let blur = stage.progressiveBlur, blur.sigma > 0 {
      steps.append(
        .progressiveBlur(
          sigma: min(blur.sigma, largestDeviation),
          RampOperation(blur.direction, start: blur.start, stop: blur.stop)))
    }
    let sharpens = stage.sharpen.map { $0 > 0 } ?? false
    if sharpens, let sigma = stage.sharpen { steps.append(.sharpen(sigma: min(sigma, largestDeviation))) }
    if let mask = unsharpMask(stage, policy, isShrunk: isShrunk, sharpens: sharpens) { steps.append(mask) }
    if let side = stage.pixelate.map({ min($0, max(size.width, size.height)) }), side > 1 {
      steps.append(.pixelate(side: side))
    }
    return steps + colors(of: stage)
  }

  private static func unsharpMask(
    _ stage: ProcessingStage, _ policy: PlanningPolicy, isShrunk: Bool, sharpens: Bool
  ) -> PixelOperation? {
    let given = stage.unsharpMasking
    // An option without a mode means the mode of its own default.
    let mode = given.map { $0.mode ?? .auto } ?? policy.unsharpMasking.mode ?? .auto
    guard mode == .always || (mode == .auto && isShrunk && !sharpens) else { return nil }
    return .unsharpMask(
      weight: given?.weight ?? policy.unsharpMasking.weight ?? 1,
      divider: given?.divider ?? policy.unsharpMasking.divider ?? 24)
  }

  private static func colors(of stage: ProcessingStage) -> [PixelOperation] {
    var steps: [PixelOperation] = []
    let adjustment = (stage.brightness ?? 0, stage.contrast ?? 1, stage.saturation ?? 1)
    if adjustment != (0, 1, 1) {
      steps.append(
        .adjust(brightness: adjustment.0, contrast: adjustment.1, saturation: adjustment.2))
    }
    let black = RGBColor(red: 0, green: 0, blue: 0)
    let white = RGBColor(red: 255, green: 255, blue: 255)
    if let tint = stage.monochrome, tint.intensity > 0 {
      let gray = RGBColor(red: 0xb3, green: 0xb3, blue: 0xb3)
      steps.append(.monochrome(intensity: tint.intensity, color: tint.color ?? gray))
    }
    if let tints = stage.duotone, tints.intensity > 0 {
      steps.append(
        .duotone(intensity: tints.intensity, dark: tints.dark ?? black, light: tints.light ?? white))
    }
    if let layer = stage.colorize, layer.opacity > 0 {
      steps.append(
        .colorize(
          opacity: layer.opacity, color: layer.color ?? black, keepsAlpha: layer.keepsAlpha ?? false))
    }
    if let layer = stage.gradient, layer.opacity > 0 {
      steps.append(
        .gradient(
          opacity: layer.opacity, color: layer.color ?? black,
          RampOperation(layer.direction, start: layer.start, stop: layer.stop)))
    }
    return steps
  }
}
