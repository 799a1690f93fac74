import CalotypeImaging
import FoundationEssentials

extension WireWriter {
  mutating func write(_ value: ColorProfile) {
    switch value {
    case .sRGB: write(UInt8(0))
    case .icc(let data):
      write(UInt8(1))
      write(data)
    case .calibrated(let calibration):
      write(UInt8(2))
      write(calibration.gamma) { $0.write($1) }
      for point in [calibration.white, calibration.red, calibration.green, calibration.blue] {
        write(point) {
          $0.write($1.x)
          $0.write($1.y)
        }
      }
    case .cicp(let points):
      write(UInt8(3))
      write(points.primaries)
      write(points.transfer)
      write(points.matrix)
      write(points.isFullRange)
      write(points.peakLuminance) { $0.write($1) }
    }
  }
}

extension WireReader {
  mutating func profile() throws(WireError) -> ColorProfile {
    switch try byte() {
    case 0: return .sRGB
    case 1: return .icc(try data())
    case 2:
      func point(_ reader: inout WireReader) throws(WireError) -> ColorProfile.Calibration.Point? {
        try reader.optional { reader throws(WireError) in
          ColorProfile.Calibration.Point(x: try reader.double(), y: try reader.double())
        }
      }
      return .calibrated(
        ColorProfile.Calibration(
          gamma: try optional { reader throws(WireError) in try reader.double() },
          white: try point(&self), red: try point(&self), green: try point(&self), blue: try point(&self)))
    case 3:
      return .cicp(
        ColorProfile.CodePoints(
          primaries: try byte(), transfer: try byte(), matrix: try byte(), isFullRange: try bool(),
          peakLuminance: try optional { reader throws(WireError) in try reader.double() }))
    default: throw WireError(reason: "there is no such kind of profile")
    }
  }
}
