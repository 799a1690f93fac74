import CalotypeResults

/// Reads what `POST /purge` is to remove: one parameter of the query, percent-encoded.
///
///     /purge?source=https%3A%2F%2Fimages.example%2Fcat.jpg
///     /purge?prefix=https%3A%2F%2Fimages.example%2F
///     /purge?tag=cats
///     /purge?identity=9f86d081884c7d659a2feaa0c55ad015
///     /purge?all=1
enum PurgeQuery {
  /// Returns the selection of a request target; `nil` if it has none, or several.
  static func selection(in target: String) -> PurgeSelection? {
    guard let mark = target.firstIndex(of: "?") else { return nil }
    let parameters = target[target.index(after: mark)...].split(
      separator: "&", omittingEmptySubsequences: true)
    guard parameters.count == 1, let parameter = parameters.first,
      let sign = parameter.firstIndex(of: "="),
      let value = QueryText.decoded(parameter[parameter.index(after: sign)...]), !value.isEmpty
    else { return nil }
    switch parameter[..<sign] {
    case "source": return .source(value)
    case "prefix": return .prefix(value)
    case "tag": return .tag(value)
    case "identity": return .identity(value)
    case "all": return value == "1" || value == "true" ? .all : nil
    default: return nil
    }
  }
}
