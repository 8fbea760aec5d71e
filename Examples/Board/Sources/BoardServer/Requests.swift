/// The body of `POST /api/cards`.
struct NewCard: Codable {
  var title: String
  var notes: String?
  var lane: Lane?
  /// The name of whoever does it, `""` for nobody.
  var person: String?
}

/// The body of `PATCH /api/cards/:id`. What is left out stays.
struct CardChange: Codable {
  /// The version that the page shows.
  var version: Int
  var title: String?
  var notes: String?
  var person: String?
  var lane: Lane?
  /// The card that comes next in the lane. Without one, the card hangs below all others.
  var before: Card.ID?
}

/// The body of `POST /api/cards/:id/remarks`.
struct NewRemark: Codable {
  var text: String
}
