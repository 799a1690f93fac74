import CalotypeSupport
package import CalotypeTestKit
package import FoundationEssentials

import Calotype

extension ScriptedReply {
  /// A body that is fresh for a while.
  package static func resource(_ data: Data) -> ScriptedReply {
    .body(data, headers: [("Cache-Control", "max-age=100")])
  }
}
