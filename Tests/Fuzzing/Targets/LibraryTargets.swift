import CalotypeImaging
import FoundationEssentials

/// Compares decoders with the libraries that do the same: equal pixels, or both refuse, but for known differences. Ours are
/// strict: what is tolerated of damage is compared elsewhere, as browsers show it.
enum LibraryTargets {
  static let all: [FuzzTarget] = ["jpeg", "png", "gif"].map { name in
    FuzzTarget(name: name + "-libraries") { input in
      guard let comparison = LibraryComparison.all[name] else { return }
      if let finding = comparison.finding(in: DecoderTargets.data(input), options(input)) {
        throw FuzzFailure("\(finding)")
      }
    }
  }

  private static func options(_ input: FuzzInput) -> DecodeOptions {
    DecodeOptions(
      limits: DecoderTargets.limits, appliesOrientation: false, damage: .strict,
      pixels: input.choices.contains(.nativePixels) ? .native : .rgba8,
      colors: input.choices.contains(.storedColors) ? .asStored : .sRGB)
  }
}
