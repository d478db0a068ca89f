/// What libyaml finds next in a file.
enum Event {
    case streamStart
    case streamEnd
    case documentStart
    case documentEnd
    case alias
    case scalar(String, isPlain: Bool)
    case sequenceStart
    case sequenceEnd
    case mappingStart
    case mappingEnd
}

/// An event, where it begins, and whether an anchor or a tag stands before it.
struct PlacedEvent {
    let event: Event
    let place: YAMLPlace
    let hasAnchor: Bool
    let hasTag: Bool
}
