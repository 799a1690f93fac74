import CJPEG

extension JPEGSession {
  /// Throws for lost data, unless the options accept them.
  ///
  /// - Parameter isComplete: Pass true if the input has been read to its end, so that missing data are lost.
  func checkDamage(isComplete: Bool) throws(ImagingError) {
    let failure: ImagingError
    switch Int(cjpeg_decoder_damage(decoder, isComplete ? 1 : 0)) {
    case CJPEG_INTACT: return
    case CJPEG_TRUNCATED: failure = .truncated(.jpeg, byteCount: windowEnd)
    default: failure = .corrupt(.jpeg, reason: message, offset: offset)
    }
    if !options.accepts(failure) { throw failure }
  }

  /// The flaws of a picture that was read to its end.
  var flaws: DamageReport {
    switch Int(cjpeg_decoder_damage(decoder, 1)) {
    case CJPEG_INTACT: []
    case CJPEG_TRUNCATED: .partial
    default: .damaged
    }
  }

  /// Returns true if a call has completed; false if it waits for input.
  func check(_ outcome: Int32) throws(ImagingError) -> Bool {
    switch Int(outcome) {
    case CJPEG_OK: return true
    case CJPEG_SUSPENDED: return false
    case CJPEG_TOO_MANY_SCANS:
      let limit = options.limits.maxScans
      throw .limitExceeded(.scans, value: limit + 1, limit: limit)
    case CJPEG_OUT_OF_MEMORY: throw .outOfMemory(byteCount: windowEnd)
    case CJPEG_UNSUPPORTED: throw .unsupportedFormat(.jpeg, reason: message)
    default:
      if Int(cjpeg_decoder_damage(decoder, 1)) == CJPEG_TRUNCATED {
        throw .truncated(.jpeg, byteCount: windowEnd)
      }
      throw .corrupt(.jpeg, reason: message, offset: offset)
    }
  }

  /// Checks the result of a call that needs no input.
  func finished(_ outcome: Int32) throws(ImagingError) {
    guard try check(outcome) else { throw .truncated(.jpeg, byteCount: windowEnd) }
  }

  private var message: String {
    let text = String(cString: cjpeg_decoder_message(decoder))
    return text.isEmpty ? "a component has no scan" : text
  }

  /// The approximate position at which the library stopped reading; `nil` if it had read everything.
  private var offset: Int? {
    let unread = cjpeg_decoder_unread(decoder)
    return unread > 2 && unread <= windowEnd ? windowEnd - unread : nil
  }
}
