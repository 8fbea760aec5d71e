/// What a connection that reads needs to be opened.
struct ConnectionTemplate: Sendable {
  var keys: [CipherKey?] = []
  var attachments: [Attachment] = []
  var temporaryObjects = TemporaryObjects()
}
