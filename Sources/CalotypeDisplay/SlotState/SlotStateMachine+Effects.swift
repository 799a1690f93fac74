import Calotype

extension SlotStateMachine {
  typealias Ending = (load: SlotLoad, result: Result<ImageResponse, any Error>)

  /// What is to be done when the books are closed again.
  struct Effects: Sendable {
    /// Whether observers see something new.
    var isNews = true
    var endings: [Ending] = []
    /// A load in whose place another goes on.
    var abandoned: SlotLoad?
    /// What followed the network for a load that was replaced.
    var leftFollower: TaskBag?
    /// A load that has begun by this.
    var begun: SlotLoad?
    /// Whether the change was made.
    var isDone = true
    /// Whether it was not, because the network has changed since the load chose what to load.
    var isOutdated = false

    static var none: Effects { Effects(isNews: false, isDone: false) }
    static var outdated: Effects { Effects(isNews: false, isDone: false, isOutdated: true) }
  }

  /// What has arrived, and how it is to be shown.
  struct Offer {
    var content: SlotState.Content
    var transition: SlotState.Transition
    var variant: ImageVariants.Variant?
  }
}
