@testable import CalotypeImaging
import FoundationEssentials

/// The target of the text of drawings, before librsvg sees it.
enum SVGTargets {
  #if SVG
  static let all = [FuzzTarget(name: "svg-text", run: checkText)]

  private static func checkText(_ input: FuzzInput) throws {
    let data = input.data()
    let limits = DecodeLimits(
      maxTextBytes: input.choices.contains(.shrinks) ? 1 << 20 : Int(input.first) * 16)
    let text = try Promises.result { () throws(ImagingError) in try SVGText(data, limits: limits) }
    guard case .success(let text) = text else { return }
    try FuzzFailure.unless(text.bytes.count <= limits.maxTextBytes, "\(text.bytes.count) bytes of text")
    guard case .found(let root) = XMLRootElement.read(text.bytes), let range = root.documentType else {
      return
    }
    try FuzzFailure.unless(range.upperBound <= text.bytes.count, "a document type behind the end")
    let size = try Promises.result { () throws(ImagingError) in
      let size = try SVGSize.natural(of: root)
      return [size.width, size.height]
    }
    if case .success(let sides) = size {
      try FuzzFailure.unless(sides.allSatisfy { $0 > 0 && $0.isFinite }, "sides of \(sides)")
    }
  }
  #else
  static let all: [FuzzTarget] = []
  #endif
}
