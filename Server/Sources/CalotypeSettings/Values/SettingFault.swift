/// A value that a setting cannot have: the rule that it breaks, and a remedy. Neither has the value.
struct SettingFault: Error, Hashable, Sendable {
  let rule: String
  let remedy: String

  init(_ rule: String, remedy: String) {
    self.rule = rule
    self.remedy = remedy
  }
}
