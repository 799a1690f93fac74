import CCurl

/// What the transfers of a loader have in common besides connections and names: TLS sessions, and cookies if they are kept.
///
/// Used on the loader's thread alone, so that libcurl needs no locks of ours.
final class CurlShare {
  let handle: UnsafeMutableRawPointer?

  init(cookies: CurlLoader.Configuration.Cookies) {
    handle = curl_share_init()
    guard let handle else { return }
    _ = calotype_curl_share_set(handle, CURLSHOPT_SHARE, Int32(CURL_LOCK_DATA_SSL_SESSION.rawValue))
    if cookies == .memory {
      _ = calotype_curl_share_set(handle, CURLSHOPT_SHARE, Int32(CURL_LOCK_DATA_COOKIE.rawValue))
    }
  }

  deinit {
    if let handle { curl_share_cleanup(handle) }
  }
}
