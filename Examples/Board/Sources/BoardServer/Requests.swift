/// The body of `POST /api/cards`.
struct NewCard: Codable {
  var title: String
  var notes: String?
  var lane: Lane?
  /// The name of the person, or `""` to unassign the card.
  var person: String?
}

/// The body of `PATCH /api/cards/:id`. A missing field does not change.
struct CardChange: Codable {
  /// The version that the page shows.
  var version: Int
  var title: String?
  var notes: String?
  var person: String?
  var lane: Lane?
  /// The next card of the lane. Without `before`, the card moves below all cards of its lane.
  var before: Card.ID?
}

/// The body of `POST /api/cards/:id/remarks`.
struct NewRemark: Codable {
  var text: String
}
