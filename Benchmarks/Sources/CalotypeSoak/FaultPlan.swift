import BenchmarkHarness
import CalotypeLoading
import FoundationEssentials

/// What is to happen to one download: drawn at random, the same for the same seed.
struct FaultPlan: Sendable {
  /// One of five goes wrong, in four ways.
  enum Kind: String, CaseIterable, Sendable {
    case whole
    case cancelled
    case reset
    case stalled
    case truncated
  }

  let number: Int
  let kind: Kind
  /// Length of the body.
  let byteCount: Int
  /// Bytes of it that the server sends before it goes wrong; `nil`: not even a head.
  let sent: Int?
  /// When the client leaves.
  let delay: Duration
  /// The body is taken chunk by chunk instead of whole.
  let isStreamed: Bool

  init(_ number: Int, using random: inout SplitMix) {
    self.number = number
    kind = random.next() % 5 > 0 ? .whole : Kind.allCases[1 + Int(random.next() % 4)]
    // Mostly small, some larger than what is kept ahead of a consumer.
    let exponent = Int(random.next() % 18)
    byteCount = 1 + Int(random.next() % UInt64(16 << exponent))
    let sent = Int(random.next() % UInt64(byteCount))
    self.sent = kind == .reset && random.next() % 4 == 0 ? nil : sent
    delay = .microseconds(Int(random.next() % 20_000))
    isStreamed = random.next() % 2 == 0
  }

  /// What the server is asked for.
  var target: String {
    let path = kind == .cancelled ? Kind.whole.rawValue : kind.rawValue
    return "/\(path)?number=\(number)&bytes=\(byteCount)&sent=\(sent ?? -1)"
  }

  /// The right body.
  var body: Data { Self.body(number, byteCount) }

  /// A part of bytes that both sides know.
  static func body(_ number: Int, _ byteCount: Int) -> Data {
    let offset = number % 1_021
    return bytes[offset..<offset + byteCount]
  }

  private static let bytes = LocalServer.bytes(4 << 20)

  /// What is wrong with the way the download ended, if anything is.
  func objection(to result: Result<Data, any Error>) -> String? {
    switch (kind, result) {
    case (.whole, .success(let data)), (.cancelled, .success(let data)):
      return data == body ? nil : "\(data.count) bytes, and not the right ones"
    case (.cancelled, .failure(let error)) where error is CancellationError:
      return nil
    case (.reset, .failure(LoadingError.connectionFailed)):
      return nil
    case (.reset, .failure(LoadingError.truncatedBody)) where sent != nil:
      return nil
    case (.stalled, .failure(LoadingError.timedOut(_, phase: .idle, _))):
      return nil
    case (.truncated, .failure(LoadingError.truncatedBody(_, let received, let expected))):
      return received == sent && expected == byteCount ? nil : "\(received) of \(expected ?? -1) bytes"
    case (_, .success(let data)):
      return "\(data.count) bytes and no error"
    case (_, .failure(let error)):
      return "\(error)"
    }
  }
}

/// A small random number generator whose numbers are the same everywhere.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: Int) {
    state = UInt64(bitPattern: Int64(seed))
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
