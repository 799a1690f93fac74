import CCurl

/// What the transfers of a loader have in common besides connections and names: TLS sessions, and cookies if they are kept.
///
/// Used on the loader's thread alone, so that libcurl needs no locks of ours.
final class CurlShare {
  private let plain: UnsafeMutableRawPointer?
  private let withCookies: UnsafeMutableRawPointer?

  init(cookies: CurlLoader.Configuration.Cookies) {
    plain = Self.make([CURL_LOCK_DATA_SSL_SESSION])
    withCookies =
      cookies == .memory ? Self.make([CURL_LOCK_DATA_SSL_SESSION, CURL_LOCK_DATA_COOKIE]) : nil
  }

  deinit {
    for handle in [plain, withCookies] { if let handle { curl_share_cleanup(handle) } }
  }

  private static func make(_ kinds: [curl_lock_data]) -> UnsafeMutableRawPointer? {
    guard let handle = curl_share_init() else { return nil }
    for kind in kinds { _ = calotype_curl_share_set(handle, CURLSHOPT_SHARE, Int32(kind.rawValue)) }
    return handle
  }

  /// For a transfer of a partition, or of none. Partitions have no cookies: they would see those of others.
  func handle(partition: String?) -> UnsafeMutableRawPointer? {
    partition == nil ? withCookies ?? plain : plain
  }
}
