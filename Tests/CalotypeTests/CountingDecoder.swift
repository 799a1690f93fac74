import Calotype
import CalotypeSupport
import FoundationEssentials

/// The JPEG decoder of the library, with a count of the pictures that it was asked for.
final class CountingDecoder: ImageDecoding {
  private let base = JPEGDecoder()
  private let state = Lock((probes: 0, decodes: 0, snapshots: 0))

  /// Headers that were parsed.
  var probes: Int { state.withLock { $0.probes } }
  /// Decodes of whole bytes.
  var decodes: Int { state.withLock { $0.decodes } }
  /// Pictures of bytes that were still arriving.
  var snapshots: Int { state.withLock { $0.snapshots } }

  var formats: [ImageFormat] { base.formats }
  var signatureLength: Int { base.signatureLength }
  func format(of prefix: Data) -> ImageFormat? { base.format(of: prefix) }

  func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    state.withLock { $0.probes += 1 }
    return try base.probe(data, limits: limits)
  }

  func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    state.withLock { $0.decodes += 1 }
    return try base.decode(data, minimumSize: minimumSize, options: options)
  }

  func makeIncrementalDecoder(options: DecodeOptions) -> (any IncrementalImageDecoding)? {
    base.makeIncrementalDecoder(options: options).map { Fed($0, owner: self) }
  }

  private final class Fed: IncrementalImageDecoding {
    private let base: any IncrementalImageDecoding
    private let owner: CountingDecoder

    init(_ base: any IncrementalImageDecoding, owner: CountingDecoder) {
      (self.base, self.owner) = (base, owner)
    }

    func append(_ chunk: Data) throws(ImagingError) { try base.append(chunk) }
    var info: ImageInfo? { base.info }
    var profile: ColorProfile? { base.profile }
    var completedPasses: Int { base.completedPasses }
    var completeFrameCount: Int { base.completeFrameCount }
    var isFramePartial: Bool { base.isFramePartial }
    func frame(at index: Int) throws(ImagingError) -> Bitmap { try base.frame(at: index) }
    func finish() throws(ImagingError) -> Image { try base.finish() }

    func snapshot() throws(ImagingError) -> Image? {
      let image = try base.snapshot()
      if image != nil { owner.state.withLock { $0.snapshots += 1 } }
      return image
    }
  }
}
