import MiniORM

/// A model with several unique keys and text, for tests of full-text search.
@Table("article", columns: .snakeCase)
struct Article: Identifiable, Equatable {
  let id: Int64
  @Column(.unique, .collate(.nocase)) var slug: String
  var title: String
  var body: String?
  var views = 0
  @Column(.references(Maker.self)) var makerID: Maker.ID?
}

extension Article {
  static var indexes: [Index<Article>] {
    [Index("article_top", unique: true, where: { $0.views > 90 }) { $0.title.lower() }]
  }

  static let some = [
    Article(
      id: 1, slug: "wine", title: "Sparkling wine of Reims", body: "It's made in Épernay too."),
    Article(id: 2, slug: "cpp", title: "C++ and wine", body: nil, views: 5),
    Article(
      id: 3, slug: "search", title: "Searching text",
      body: "Wine, wine, wine: a search for wine finds this first.", makerID: 1),
    Article(id: 4, slug: "none", title: "", body: ""),
  ]
}

let articles = Table<Article>()
let articleText = FullTextIndex(
  "article_text", of: Article.self, tokenizer: .unicode61(removeDiacritics: 2), prefixes: [2, 3]
) { ($0.title, $0.body) }

@Table("leaflet")
struct Leaflet: Equatable {
  var title: String
  var body: String?
  @Column(as: .json) var tags: [String] = []
}

let leaflets = Table<Leaflet>()
let leafletText = FullTextIndex(storing: Leaflet.self, tokenizer: .porter(.ascii())) { $0.tags }

/// Runs a test on a file with some articles and their full-text index.
func withArticles<Result>(_ body: (Database) async throws -> Result) async throws -> Result {
  try await withFile(DatabaseSchema(Maker.self, Article.self, objects: [articleText, leafletText]))
  {
    database throws in
    try await makers.insert(contentsOf: Maker.some, in: database)
    try await articles.insert(contentsOf: Article.some, in: database)
    return try await body(database)
  }
}
