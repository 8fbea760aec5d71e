/// The texts of the elements that contain no elements, in order. The answers of S3 need no more:
/// they have no comments, no CDATA sections and no attributes with texts to read. FoundationXML
/// would add libxml2 to every program.
struct XMLText {
  private var elements: [(name: String, text: String)] = []
  /// The name of the last closing tag: an answer that was cut has another one.
  private(set) var root = ""

  init(_ bytes: [UInt8]) {
    for piece in bytes.split(separator: UInt8(ascii: "<")) {
      guard let end = piece.firstIndex(of: UInt8(ascii: ">")) else { continue }
      let tag = String(decoding: piece[..<end], as: UTF8.self)
      if tag.hasPrefix("/") {
        root = String(tag.dropFirst())
      } else if !tag.hasSuffix("/") {
        let name = tag.prefix { !$0.isWhitespace }
        elements.append((String(name), Self.decoded(piece[piece.index(after: end)...])))
      }
    }
  }

  /// The text of the first element with a name.
  subscript(name: String) -> String? { elements.first { $0.name == name }?.text }

  func all(_ name: String) -> [String] {
    elements.lazy.filter { $0.name == name }.map(\.text)
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.contains("&") else { return text }
    return [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#34;", "\""), ("&apos;", "'"),
      ("&#39;", "'"), ("&amp;", "&"),
    ].reduce(text) { $0.replacing($1.0, with: $1.1) }
  }
}
