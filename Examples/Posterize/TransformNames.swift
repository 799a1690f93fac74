import Calotype

/// The transforms that a program reads as text: its own, and those of the library.
enum TransformNames {
  /// Reads `posterize`, `posterize:LEVELS`, or a transform of `TransformChain.Catalog`, such as `resize:320x240`.
  ///
  /// - Throws: `ImagingError.invalidParameter`, which names valid ones.
  static func transform(parsing text: String) throws(ImagingError) -> ImageTransform {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.first == "posterize" else { return try ImageTransform(parsing: text) }
    guard parts.count == 2 else { return .posterize() }
    guard let levels = Int(parts[1]), (2...64).contains(levels) else {
      throw .invalidParameter(name: "posterize", reason: "levels is 2 to 64, not '\(parts[1])'")
    }
    return .posterize(levels: levels)
  }
}
