struct ConnectionTemplate: Sendable {
  var keys: [CipherKey?] = []
  var identities: [ExactText: OpenFile.Identity] = [:]
  var attachments: [Attachment] = []
}
