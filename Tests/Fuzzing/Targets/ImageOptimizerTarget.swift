import CalotypeImaging
import FoundationEssentials

/// Optimises any bytes: the result is smaller and shows the same, or there is none.
enum ImageOptimizerTarget {
  static func run(_ input: FuzzInput) throws {
    let data = Data(input.bytes)
    var limits = DecodeLimits.default
    limits.maxPixels = 1 << 16
    var optimizer = ImageOptimizer(limits: limits)
    optimizer.effort = .balanced
    let made: Data?
    do throws(ImagingError) {
      made = try optimizer.optimized(data)
    } catch {
      if case .encodingFailed(_, let reason) = error, reason.contains("shows something else") {
        throw FuzzFailure("\(error)")
      }
      return
    }
    guard let made else { return }
    try FuzzFailure.unless(made.count < data.count, "\(data.count) bytes became \(made.count)")
    let options = DecodeOptions(limits: limits, appliesOrientation: false, colors: .asStored)
    let (old, new) = (
      try CoderRegistry.standard.decode(data, options: options),
      try CoderRegistry.standard.decode(made, options: options)
    )
    try FuzzFailure.unless(old.bitmap == new.bitmap, "other pixels")
  }
}
