import CalotypeDisplay
import Calotype
import CalotypeTestKit
import FoundationEssentials
import Testing

/// Which variant of a picture is shown.
@Suite("Choice of variants", .timeLimit(.minutes(5)))
struct VariantPlanTests {
  private let variants = ImageVariants(
    original: ImageRequest(url: SlotStage.url("original")),
    thumbnail: ImageRequest(url: SlotStage.url("thumbnail")),
    sizes: [ImageRequest(url: SlotStage.url("small")), ImageRequest(url: SlotStage.url("large"))])

  /// The whole table: of what is cached, `t`humbnail, `s`mall, `l`arge, `o`riginal; then unmetered, metered, metered with the
  /// original preferred, offline. `+` has it loaded, `=` takes it out of the cache, `-` is the placeholder.
  private static let table = [
    ("", "+o", "+t", "+o", "-"),
    ("t", "+o", "=t", "+o", "=t"),
    ("s", "+o", "=s", "+o", "=s"),
    ("ts", "+o", "=s", "+o", "=s"),
    ("l", "+o", "=l", "+o", "=l"),
    ("tl", "+o", "=l", "+o", "=l"),
    ("sl", "+o", "=l", "+o", "=l"),
    ("tsl", "+o", "=l", "+o", "=l"),
    ("o", "+o", "=o", "=o", "=o"),
    ("to", "+o", "=o", "=o", "=o"),
    ("so", "+o", "=o", "=o", "=o"),
    ("tso", "+o", "=o", "=o", "=o"),
    ("lo", "+o", "=o", "=o", "=o"),
    ("tlo", "+o", "=o", "=o", "=o"),
    ("slo", "+o", "=o", "=o", "=o"),
    ("tslo", "+o", "=o", "=o", "=o"),
  ]

  private static let letters: [Character: ImageVariants.Variant] = [
    "t": .thumbnail, "s": .size(0), "l": .size(1), "o": .original,
  ]

  private func text(_ plan: VariantPlan) -> String {
    let letter = Self.letters.first { $0.value == plan.variant }.map { String($0.key) } ?? ""
    return switch plan {
    case .load: "+" + letter
    case .cached: "=" + letter
    case .placeholder: "-"
    }
  }

  @Test("the table is complete: every set of cached variants, every network, every preference")
  func complete() {
    #expect(Set(Self.table.map { Set($0.0) }).count == 16)
    for (cached, unmetered, metered, preferred, offline) in Self.table {
      let cached = Set(cached.compactMap { Self.letters[$0] })
      func plan(_ condition: NetworkCondition, _ preference: VariantPreference) -> String {
        text(.choose(among: variants, cached: cached, condition: condition, preference: preference))
      }
      #expect(plan(.unmetered, .automatic) == unmetered)
      #expect(plan(.unmetered, .original) == unmetered)
      #expect(plan(.metered, .automatic) == metered)
      #expect(plan(.metered, .original) == preferred)
      #expect(plan(.offline, .automatic) == offline)
      #expect(plan(.offline, .original) == offline)
    }
  }

  @Test("the better variant is the greater; what there is not has no request")
  func order() {
    let sorted: [ImageVariants.Variant] = [.thumbnail, .size(0), .size(1), .original]
    #expect(sorted.reversed().sorted() == sorted)
    #expect(variants.all == sorted.reversed())
    #expect(variants[.size(1)]?.source.url == SlotStage.url("large"))
    #expect(variants[.size(2)] == nil && variants[.size(-1)] == nil)
  }
}
