import CalotypeImaging

extension WireWriter {
  mutating func write(_ value: ImagingError) {
    switch value {
    case .emptyInput: write(UInt8(0))
    case .unrecognizedFormat(let hint):
      write(UInt8(1))
      write(hint) { $0.write($1) }
    case .unsupportedFormat(let format, let reason):
      write(UInt8(2))
      write(format.rawValue)
      write(reason) { $0.write($1) }
    case .corrupt(let format, let reason, let offset):
      write(UInt8(3))
      write(format.rawValue)
      write(reason)
      write(offset) { $0.write($1) }
    case .truncated(let format, let byteCount):
      write(UInt8(4))
      write(format.rawValue)
      write(byteCount)
    case .limitExceeded(let kind, let value, let limit):
      write(UInt8(5))
      write(kind.rawValue)
      write(value)
      write(limit)
    case .invalidParameter(let name, let reason):
      write(UInt8(6))
      write(name)
      write(reason)
    case .outOfMemory(let byteCount):
      write(UInt8(7))
      write(byteCount)
    case .cancelled: write(UInt8(8))
    default:
      // Those of encoders and of the sandbox itself do not come from a decode.
      write(UInt8(6))
      write("decode")
      write(value.description)
    }
  }
}

extension WireReader {
  mutating func error() throws(WireError) -> ImagingError {
    func text(_ reader: inout WireReader) throws(WireError) -> String {
      let text = try reader.string()
      guard text.utf8.count <= 4096 else { throw WireError(reason: "the text of an error is too long") }
      return text
    }
    switch try byte() {
    case 0: return .emptyInput
    case 1: return .unrecognizedFormat(hint: try optional(text))
    case 2: return .unsupportedFormat(ImageFormat(rawValue: try text(&self)), reason: try optional(text))
    case 3:
      return .corrupt(
        ImageFormat(rawValue: try text(&self)), reason: try text(&self),
        offset: try optional { reader throws(WireError) in try reader.int() })
    case 4: return .truncated(ImageFormat(rawValue: try text(&self)), byteCount: try int())
    case 5: return .limitExceeded(try choice(), value: try int(), limit: try int())
    case 6: return .invalidParameter(name: try text(&self), reason: try text(&self))
    case 7: return .outOfMemory(byteCount: try int())
    case 8: return .cancelled
    default: throw WireError(reason: "there is no such error")
    }
  }
}
