import CCurl

/// The state that transfers of a loader share besides connections and DNS results: TLS sessions, and cookies if
/// enabled.
///
/// Used on the loader's thread alone, so that libcurl needs no locks.
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

  /// Returns the handle for a partition. Partitions have no cookies, because they would share them.
  func handle(partition: String?) -> UnsafeMutableRawPointer? {
    partition == nil ? withCookies ?? plain : plain
  }
}
