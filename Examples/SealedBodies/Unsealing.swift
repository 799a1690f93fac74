import CalotypeLoading
import Crypto
import FoundationEssentials

/// Opens one body. Keeps one segment at most, because only the end of the body tells which one is the last.
struct Unsealing: ChunkTransforming {
  private static let wholeSegment = SealedFormat.segmentSize + SealedFormat.tagSize

  private let key: SymmetricKey
  private var format: SealedFormat?
  /// The bytes so far of the header, then of a segment.
  private var pending = Data()
  private var number = 0

  init(key: SymmetricKey) {
    self.key = key
  }

  mutating func transform(_ chunk: Data) throws -> Data {
    var rest = chunk[...]
    var output = Data()
    if format == nil {
      move(&rest, upTo: SealedFormat.headerSize)
      guard pending.count == SealedFormat.headerSize else { return output }
      format = try SealedFormat(opening: pending, key: key)
      pending.removeAll()
    }
    while !rest.isEmpty {
      // There is more, so a whole segment is not the last one.
      if pending.count == Self.wholeSegment { output.append(try open(isLast: false)) }
      move(&rest, upTo: Self.wholeSegment)
    }
    return output
  }

  mutating func finish() throws -> Data {
    guard format != nil else {
      _ = try SealedFormat(opening: pending, key: key)
      throw SealedBodyError.truncated(segments: 0)
    }
    return try open(isLast: true)
  }

  private mutating func move(_ rest: inout Data.SubSequence, upTo count: Int) {
    let wanted = min(count - pending.count, rest.count)
    pending.append(rest.prefix(wanted))
    rest = rest.dropFirst(wanted)
  }

  private mutating func open(isLast: Bool) throws(SealedBodyError) -> Data {
    guard let format else { throw .notSealed }
    guard pending.count >= SealedFormat.tagSize else { throw .truncated(segments: number) }
    guard let plain = try format.open(pending, number: number, isLast: isLast) else {
      // A body that ends after a whole segment is truncated, not tampered with.
      if isLast, try format.open(pending, number: number, isLast: false) != nil {
        throw .truncated(segments: number + 1)
      }
      throw .tampered(segment: number)
    }
    // An empty last segment is what an empty body has, and no other.
    guard !plain.isEmpty || number == 0 else { throw .tampered(segment: number) }
    number += 1
    pending.removeAll(keepingCapacity: true)
    return plain
  }
}
