import Calotype

extension SlotStateMachine {
  typealias Ending = (load: SlotLoad, result: Result<ImageResponse, any Error>)

  /// The effects of a change of state, for the driver to carry out outside of the lock.
  struct Effects: Sendable {
    /// Whether the change is news to observers.
    var isNews = true
    var endings: [Ending] = []
    /// The previous load, if another one has taken over from it.
    var abandoned: SlotLoad?
    /// The follower of the network of a load that was replaced.
    var leftFollower: TaskBag?
    /// The load that the change has begun.
    var begun: SlotLoad?
    /// Whether the change was made.
    var isDone = true
    /// Whether it was refused because the network has changed since the load chose its target.
    var isOutdated = false

    static var none: Effects { Effects(isNews: false, isDone: false) }
    static var outdated: Effects { Effects(isNews: false, isDone: false, isOutdated: true) }
  }

  /// Content that has arrived, and the way to show it.
  struct Offer {
    var content: SlotState.Content
    var transition: SlotState.Transition
    var variant: ImageVariants.Variant?
    var animation: SlotAnimation?
  }
}
