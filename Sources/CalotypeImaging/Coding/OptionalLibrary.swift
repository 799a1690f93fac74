import CDynamicLibrary

/// A C library that is opened when it is first needed, so that programs start without it.
struct OptionalLibrary: Sendable {
  /// The format that needs it.
  let format: ImageFormat
  /// The Debian package that has it.
  let package: String
  /// Opens the library and returns `nil`, or the reason of the failure.
  let open: @convention(c) () -> UnsafePointer<CChar>?
  /// Returns true if the library is there, without opening it.
  let isInstalled: @convention(c) () -> Bool

  /// The error of every call, if the library is not there.
  var refusal: ImagingError? {
    if isInstalled() { return nil }
    return open().map { refusal(because: String(cString: $0)) }
  }

  /// Opens the library, the first time.
  ///
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)`` with the package to install.
  func require() throws(ImagingError) {
    if let reason = open() { throw refusal(because: String(cString: reason)) }
  }

  /// The libraries of this build.
  static var all: [OptionalLibrary] {
    var all: [OptionalLibrary] = []
    #if AVIF
    all.append(.avif)
    #endif
    #if HEIF
    all.append(.heif)
    #endif
    #if JXL
    all.append(.jxl)
    #endif
    #if SVG
    all.append(.svg)
    #endif
    #if TIFF
    all.append(.tiff)
    #endif
    return all
  }

  /// Opens no further libraries in this process. Decoders that need another one fail.
  static func seal() { cdl_seal() }

  private func refusal(because reason: String) -> ImagingError {
    .unsupportedFormat(
      format, reason: "install the Debian package \(package), whose library cannot be loaded: \(reason)")
  }
}

#if AVIF
import CAVIF

extension OptionalLibrary {
  /// libavif, which needs dav1d and libaom.
  static let avif = OptionalLibrary(
    format: .avif, package: "libavif15", open: cavif_open, isInstalled: cavif_is_installed)
}
#endif

#if HEIF
import CHEIF

extension OptionalLibrary {
  /// libde265.
  static let heif = OptionalLibrary(
    format: .heif, package: "libde265-0", open: cheif_open, isInstalled: cheif_is_installed)
}
#endif

#if JXL
import CJXL

extension OptionalLibrary {
  /// libjxl, whose diagnostics go to standard error.
  static let jxl = OptionalLibrary(
    format: .jxl, package: "libjxl0.7", open: cjxl_open, isInstalled: cjxl_is_installed)
}
#endif

#if SVG
import CSVG

extension OptionalLibrary {
  /// librsvg, which brings cairo, Pango and GLib.
  static let svg = OptionalLibrary(
    format: .svg, package: "librsvg2-2", open: csvg_open, isInstalled: csvg_is_installed)
}
#endif

#if TIFF
import CTIFF

extension OptionalLibrary {
  /// libtiff.
  static let tiff = OptionalLibrary(
    format: .tiff, package: "libtiff6", open: ctiff_open, isInstalled: ctiff_is_installed)
}
#endif
