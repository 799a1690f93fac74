/// The refusal of formats that are described and not decoded, with the remedy.
package enum MissingDecoder {
  /// Returns the error of a decode.
  package static func error(for format: ImageFormat) -> ImagingError {
    .unsupportedFormat(format, reason: reason(for: format))
  }

  private static func reason(for format: ImageFormat) -> String {
    switch format {
    case .svg: "it is described, and drawn only in a process of its own; enable the package trait SVG"
    case .avif: "it is described, not decoded; enable the package trait AVIF"
    case .heif: "it is described, not decoded; enable the package trait HEIF"
    case .jxl: "it is described, not decoded; enable the package trait JXL"
    case .tiff: "it is described, not decoded; enable the package trait TIFF"
    default: "it is described, not decoded; register a decoder"
    }
  }
}
