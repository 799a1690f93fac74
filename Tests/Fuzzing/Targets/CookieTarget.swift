import CCurl
@testable import CalotypeLoading

/// Gives the bytes to the cookie engine, as the lines of responses.
enum CookieTarget {
  static func run(_ input: FuzzInput) throws {
    guard let handle = curl_easy_init() else { return }
    defer { curl_easy_cleanup(handle) }
    _ = calotype_curl_set_string(handle, CURLOPT_COOKIEFILE, "")
    for line in input.bytes.split(separator: 10).prefix(64) {
      // libcurl is given C strings: what follows a NUL is not there.
      let value = String(decoding: line.prefix { $0 != 0 }, as: UTF8.self)
      _ = calotype_curl_set_string(handle, CURLOPT_COOKIELIST, "Set-Cookie: " + value)
      _ = calotype_curl_set_string(handle, CURLOPT_COOKIELIST, value)
    }
    var list: UnsafeMutablePointer<curl_slist>?
    guard calotype_curl_get_list(handle, CURLINFO_COOKIELIST, &list) == CURLE_OK else { return }
    defer { curl_slist_free_all(list) }
    var entry = list
    while let cookie = entry?.pointee {
      let text = cookie.data.map { String(cString: $0) } ?? ""
      try FuzzFailure.unless(
        !text.utf8.contains { $0 == 10 || $0 == 13 }, "a cookie of two lines: \(text.debugDescription)")
      entry = cookie.next
    }
  }
}
