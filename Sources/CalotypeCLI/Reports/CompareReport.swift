import Calotype
import CalotypeTerminal

/// The report of `calotype compare`.
struct CompareReport: Encodable {
  let original: String
  let image: String
  let width: Int
  let height: Int
  let ssimulacra2: Double
  /// `null` for pictures below 11 by 11 pixels.
  let dssim: InfoReport.Nullable<Double>
  /// `null` for equal pictures, whose ratio is infinite.
  let psnr: InfoReport.Nullable<Double>
  let isEqual: Bool
  /// The file with the differences, if one was asked for.
  let difference: String?

  init(
    original: String, image: String, quality: ImageQuality, picture: Bitmap, difference: String?
  ) throws(ImagingError) {
    self.original = original
    self.image = image
    self.difference = difference
    (width, height) = (picture.width, picture.height)
    ssimulacra2 = Self.rounded(try quality.ssimulacra2(of: picture), 1000)
    let isLarge = min(picture.width, picture.height) >= 11
    dssim = .init(value: isLarge ? Self.rounded(try quality.dssim(of: picture), 1_000_000) : nil)
    let ratio = try quality.psnr(of: picture)
    psnr = .init(value: ratio.isFinite ? Self.rounded(ratio, 1000) : nil)
    isEqual = !ratio.isFinite
  }

  private static func rounded(_ value: Double, _ unit: Double) -> Double { (value * unit).rounded() / unit }

  func print() {
    Output.line("SSIMULACRA2  \(ssimulacra2)")
    if let value = dssim.value { Output.line("DSSIM        \(value)") }
    Output.line("PSNR         " + (psnr.value.map { "\($0) dB" } ?? "∞ (equal pictures)"))
  }
}
