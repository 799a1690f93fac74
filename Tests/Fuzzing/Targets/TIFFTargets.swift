@testable import CalotypeImaging
import FoundationEssentials

/// The target of TIFF: whole decodes, rows, and all pages.
enum TIFFTargets {
  #if TIFF
  static let all = [
    FuzzTarget(name: "tiff") { input in
      try DecoderCheck(TIFFDecoder(), input).decodeWhole()
      try decodePages(input)
    }
  ]

  /// The number of pages to decode.
  private static let pageCount = 3

  private static func decodePages(_ input: FuzzInput) throws {
    let decoder = TIFFDecoder()
    let data = DecoderTargets.data(input)
    var options = DecoderTargets.options(input)
    options.thumbnail = nil
    for page in 0..<pageCount {
      options.page = page
      let info = try Promises.result { () throws(ImagingError) in
        try decoder.probe(data, page: page, limits: options.limits)
      }
      let image = try Promises.result { [options] () throws(ImagingError) in
        try decoder.decode(data, minimumSize: nil, options: options)
      }
      guard case .success(let image) = image else { continue }
      guard case .success(let info) = info else {
        throw FuzzFailure("page \(page) decoded, but not probed")
      }
      try Promises.check(image.bitmap, options.limits)
      try FuzzFailure.unless(
        image.bitmap.size == info.size, "page \(page): \(image.bitmap.size) of \(info.size)")
      try FuzzFailure.unless(page < info.pageCount, "page \(page) of \(info.pageCount)")
    }
  }
  #else
  static let all: [FuzzTarget] = []
  #endif
}
