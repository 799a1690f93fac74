public import CalotypeImaging
public import FoundationEssentials

/// Checks that a coder keeps the promises of `ImageDecoding` and `ImageEncoding`. For any test framework:
///
/// ```swift
/// let conformance = CoderConformance(decoder: PNMDecoder(), encoder: PNMEncoder(), samples: [picture])
/// let complaints = await conformance.complaints()
/// #expect(complaints.isEmpty, "\(complaints)")
/// ```
///
/// A coder that crashes or hangs takes the test process with it: that is the complaint.
public struct CoderConformance: Sendable {
  /// One broken promise.
  public struct Complaint: Hashable, Sendable, CustomStringConvertible {
    /// The promise.
    public let check: Check
    /// The sample, by index, or the picture that was encoded.
    public let subject: String
    /// The actual behaviour.
    public let text: String

    /// Check, subject and text in one line.
    public var description: String { "\(check.rawValue), \(subject): \(text)" }
  }

  /// The promises.
  public enum Check: String, Hashable, Sendable, CaseIterable {
    /// The decoder knows its samples by their first bytes, and nothing else.
    case recognition
    /// The header says what the pixels are.
    case probe
    /// A smaller decode is not below the size asked for.
    case minimumSize
    /// A sample that ends early gives a typed error about its end, or the pixels of the whole.
    case truncation
    /// Damaged samples give typed errors or a picture within the limits, twice the same.
    case damage
    /// Limits hold.
    case limits
    /// Dripped bytes give what all bytes at once give.
    case chunks
    /// A cancelled task gives `ImagingError.cancelled`.
    case cancellation
    /// Many threads get what one gets.
    case concurrency
    /// Frames are the same in every order, and the first is the decoded image.
    case frames
    /// Encoded pictures are decoded again.
    case roundTrip
  }

  /// The decoder under test.
  public var decoder: any ImageDecoding
  /// An encoder of one of its formats; without one there are no round trips.
  public var encoder: (any ImageEncoding)?
  /// Sound encoded images; small ones, because they are decoded thousands of times.
  public var samples: [Data]
  /// Mean difference per channel, in units of 8 bits, that a round trip may cost. 0 for a lossless format.
  public var tolerance: Double
  /// Whether transparency survives a round trip.
  public var keepsAlpha: Bool
  /// Options for encoding.
  public var encodeOptions: EncodeOptions?
  /// Ends and damages to try per sample, at most.
  public var attempts = 2000
  /// The seed of the damages; the same seed gives the same damages.
  public var seed: UInt64 = 1

  /// Creates the checks.
  public init(
    decoder: any ImageDecoding, encoder: (any ImageEncoding)? = nil, samples: [Data], tolerance: Double = 0,
    keepsAlpha: Bool = true, encodeOptions: EncodeOptions? = nil
  ) {
    self.decoder = decoder
    self.encoder = encoder
    self.samples = samples
    self.tolerance = tolerance
    self.keepsAlpha = keepsAlpha
    self.encodeOptions = encodeOptions
  }

  /// Runs checks, all by default.
  public func complaints(about checks: [Check] = Check.allCases) async -> [Complaint] {
    var complaints: [Complaint] = []
    for check in checks {
      if check == .roundTrip {
        complaints += checkRoundTrip()
        continue
      }
      if samples.isEmpty {
        complaints.append(Complaint(check: check, subject: "no sample", text: "nothing to check"))
      }
      for (index, data) in samples.enumerated() {
        let sample = Sample(data: data, check: check, subject: "sample \(index)")
        switch check {
        case .recognition: checkRecognition(sample)
        case .probe: checkProbe(sample)
        case .minimumSize: checkMinimumSize(sample)
        case .truncation: checkTruncation(sample)
        case .damage: checkDamage(sample)
        case .limits: checkLimits(sample)
        case .chunks: checkChunks(sample)
        case .cancellation: await checkCancellation(sample)
        case .concurrency: await checkConcurrency(sample)
        case .frames: checkFrames(sample)
        case .roundTrip: break
        }
        complaints += sample.complaints
      }
    }
    return complaints
  }

  /// A sample while one check looks at it.
  final class Sample {
    let data: Data
    let check: Check
    let subject: String
    private(set) var complaints: [Complaint] = []

    init(data: Data, check: Check, subject: String) {
      self.data = data
      self.check = check
      self.subject = subject
    }

    /// A broken promise. The first twenty tell enough.
    func complain(_ text: String) {
      guard complaints.count < 20 else { return }
      complaints.append(Complaint(check: check, subject: subject, text: text))
    }

    /// Runs what must not fail.
    func attempt<Value>(_ what: String, _ body: () throws(ImagingError) -> Value) -> Value? {
      do {
        return try body()
      } catch {
        complain("\(what) fails: \(error.code): \(error)")
        return nil
      }
    }
  }
}
