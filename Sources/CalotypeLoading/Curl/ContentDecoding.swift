import CISAL
import FoundationEssentials

/// Decodes a content coding that a server applied without a request for it (RFC 9110 §8.4.1): gzip (RFC 1952), and
/// deflate (RFC 1950, or raw RFC 1951 as some servers send it).
///
/// It runs after the queue of the transfer, so that back-pressure also limits the decoded bytes. Bodies with other
/// codings, or with several, stay unchanged; the decoder detects their format from the bytes. More than four codings are an
/// error: no server means them.
///
/// Images hardly shrink by such codings, and one byte of deflate can expand to a thousand (decompression bomb). So the
/// output is limited to 100 times the input, beyond the first 4 MiB.
struct ContentDecoding: BodyTransforming {
  private let coding: Coding
  private let url: URL
  private let byteLimit: Int

  /// Bytes of output per byte of input, beyond the bytes that any body may have.
  private static let maxExpansion = 100
  private static let freeBytes = 4 << 20
  private static let maxCodings = 4

  private enum Coding: Sendable {
    case gzip, deflate
  }

  /// `nil` when there is nothing to decode.
  ///
  /// - Throws: ``LoadingError/protocolError(_:reason:)`` for too many codings.
  init?(_ head: ResponseHead, byteLimit: Int) throws(LoadingError) {
    let codings = head.headers[.contentEncoding]
    let count = codings.map { 1 + $0.utf8.count { $0 == UInt8(ascii: ",") } } ?? 0
    guard count <= Self.maxCodings else {
      throw .protocolError(head.url, reason: "its body has \(count) content codings")
    }
    switch codings?.lowercased() {
    case "gzip", "x-gzip": coding = .gzip
    case "deflate": coding = .deflate
    default: return nil
    }
    url = head.url
    self.byteLimit = byteLimit
  }

  var identity: String { "\(coding)" }

  func makeTransform(for response: LoadResponse) -> (any ChunkTransforming)? {
    Inflation(isGzip: coding == .gzip, url: url, byteLimit: byteLimit)
  }

  private struct Inflation: ChunkTransforming {
    let isGzip: Bool
    let url: URL
    let byteLimit: Int
    private let state = InflateState()
    private var hasBegun = false
    private var received = 0
    private var produced = 0

    init(isGzip: Bool, url: URL, byteLimit: Int) {
      self.isGzip = isGzip
      self.url = url
      self.byteLimit = byteLimit
    }

    mutating func transform(_ chunk: Data) throws -> Data {
      guard let first = chunk.first else { return Data() }
      if !hasBegun {
        // In zlib's first byte, the low half is 8 for deflate, and the high half declares a window of at most 32 KiB.
        let isZlib = first & 15 == 8 && first >> 4 <= 7
        state.begin(isGzip ? ISAL_GZIP : isZlib ? ISAL_ZLIB : ISAL_DEFLATE)
        hasBegun = true
      }
      received += chunk.count
      let expansion = ContentDecoding.freeBytes + ContentDecoding.maxExpansion * received
      let limit = min(byteLimit, expansion) - produced
      var output = Data()
      var rest = chunk[...]
      while !rest.isEmpty {
        if state.isFinished {
          // Another member (RFC 1952 §2.2), or padding.
          guard isGzip, rest.first == 0x1F else { break }
          state.begin(ISAL_GZIP)
        }
        let step = state.inflate(rest, into: &output, limit: limit)
        guard step.isSound else {
          throw LoadingError.protocolError(url, reason: "its \(isGzip ? "gzip" : "deflate") is damaged")
        }
        rest = rest.dropFirst(step.consumed)
        if output.count > limit {
          guard byteLimit > expansion else {
            throw LoadingError.tooLarge(.url(url), limit: byteLimit, declared: nil)
          }
          throw LoadingError.protocolError(
            url,
            reason: "its \(isGzip ? "gzip" : "deflate") makes more than \(expansion) of \(received) bytes")
        }
      }
      produced += output.count
      return output
    }

    mutating func finish() throws -> Data {
      if hasBegun, !state.isFinished {
        throw LoadingError.truncatedBody(url, received: produced, expected: nil)
      }
      return Data()
    }
  }
}

/// The state of ISA-L's inflate: 80 KiB that stay where they are.
// `@unchecked`: it belongs to one transform, whose calls come one after the other.
private final class InflateState: @unchecked Sendable {
  private let state = UnsafeMutablePointer<inflate_state>.allocate(capacity: 1)
  private let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64 << 10)

  deinit {
    state.deallocate()
    room.deallocate()
  }

  func begin(_ format: Int32) {
    isal_inflate_init(state)
    state.pointee.crc_flag = UInt32(format)
  }

  var isFinished: Bool { state.pointee.block_state == ISAL_BLOCK_FINISH }

  /// Inflates until the input is used up, the stream ends, or there is more output than `limit`.
  func inflate(_ input: Data.SubSequence, into output: inout Data, limit: Int) -> (
    consumed: Int, isSound: Bool
  ) {
    input.withUnsafeBytes { bytes -> (Int, Bool) in
      // It only reads what `next_in` points to.
      state.pointee.next_in = UnsafeMutablePointer(
        mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
      state.pointee.avail_in = UInt32(bytes.count)
      while true {
        state.pointee.next_out = room.baseAddress
        state.pointee.avail_out = UInt32(room.count)
        guard isal_inflate(state) == ISAL_DECOMP_OK else { return (0, false) }
        let made = room.count - Int(state.pointee.avail_out)
        output.append(contentsOf: UnsafeMutableBufferPointer(rebasing: room[..<made]))
        let isFull = state.pointee.avail_out == 0
        if isFinished || !isFull || output.count > limit {
          return (bytes.count - Int(state.pointee.avail_in), true)
        }
      }
    }
  }
}
