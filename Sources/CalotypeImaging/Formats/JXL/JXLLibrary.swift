#if JXL
import CJXL

/// libjxl, whose errors end a decode or an encode, and whose diagnostics go to standard error.
enum JXLLibrary {
  static let optional = OptionalLibrary(
    format: .jxl, package: "libjxl0.7", open: { cjxl_open() }, isInstalled: { cjxl_is_installed() })
}
#endif
