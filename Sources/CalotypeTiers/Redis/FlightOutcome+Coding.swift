import CalotypeCaching
import FoundationEssentials

extension FlightOutcome {
  /// The longest code of an error.
  private static let codeLimit = 64

  /// The code that the scripts keep. The bytes of a value are kept beside it.
  var wireCode: String {
    switch self {
    case .stored: "s"
    case .value: "v"
    case .absent(let status): "a\(status)"
    case .isPrivate: "p"
    case .failed(let code):
      "f" + String(decoding: code.utf8.filter(Self.isOfCode).prefix(Self.codeLimit), as: UTF8.self)
    }
  }

  /// Reads a code; `nil` for anything that ``wireCode`` does not write.
  init?(wireCode: [UInt8], value: [UInt8]?) {
    let rest = wireCode.dropFirst()
    switch wireCode.first {
    case UInt8(ascii: "s") where rest.isEmpty: self = .stored
    case UInt8(ascii: "p") where rest.isEmpty: self = .isPrivate
    case UInt8(ascii: "v"):
      guard rest.isEmpty, let value else { return nil }
      self = .value(Data(value))
    case UInt8(ascii: "a"):
      guard rest.count == 3, let status = Int(String(decoding: rest, as: UTF8.self)),
        (400...499).contains(status)
      else { return nil }
      self = .absent(status: status)
    case UInt8(ascii: "f"):
      guard rest.count <= Self.codeLimit, rest.allSatisfy(Self.isOfCode) else { return nil }
      self = .failed(code: String(decoding: rest, as: UTF8.self))
    default: return nil
    }
  }

  private static func isOfCode(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      || "-_.".utf8.contains(byte)
  }
}
