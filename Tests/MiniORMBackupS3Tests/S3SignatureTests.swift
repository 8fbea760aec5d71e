import Foundation
import TestSupport
import Testing

@testable import MiniORMBackupS3

extension S3Credentials {
  /// The access key of the examples in AWS's documentation.
  static var example: S3Credentials {
    S3Credentials(
      accessKeyID: "AKIAIOSFODNN7EXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
  }
}

@Suite("Signature Version 4")
struct S3SignatureTests {
  private static let host = "examplebucket.s3.amazonaws.com"
  private static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  /// The four examples of AWS's documentation, "Authenticating Requests: Using the Authorization
  /// Header". A script computed their signatures independently, with Python's hmac.
  @Test(
    "the documented examples have the documented signatures",
    arguments: [
      (
        "GET", "/test.txt", "", ["range": "bytes=0-9", "x-amz-content-sha256": empty],
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
      ),
      (
        "PUT", "/test%24file.text", "",
        [
          "date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY",
          "x-amz-content-sha256":
            "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
        ],
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
      ),
      (
        "GET", "/", "lifecycle=", ["x-amz-content-sha256": empty],
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
      ),
      (
        "GET", "/", "max-keys=2&prefix=J", ["x-amz-content-sha256": empty],
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
      ),
    ])
  func documented(
    _ method: String, _ path: String, _ query: String, _ more: [String: String], _ signature: String
  ) throws {
    let time = S3Signature.time(Date(timeIntervalSince1970: 1_369_353_600))
    #expect(time == "20130524T000000Z")
    let headers = ["host": Self.host, "x-amz-date": time].merging(more) { $1 }
    let header = try S3Signature.authorization(
      method, path, query, headers, .example, region: "us-east-1")
    let names = headers.keys.sorted().joined(separator: ";")
    #expect(
      header
        == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
        + "SignedHeaders=\(names),Signature=\(signature)")
  }

  @Test("the hash of the documented body, and of an empty one")
  func hash() throws {
    #expect(try S3Signature.hexadecimal(S3Signature.hash([])) == Self.empty)
    #expect(
      try S3Signature.hexadecimal(S3Signature.hash(Array("Welcome to Amazon S3.".utf8)))
        == "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072")
  }

  @Test(
    "bytes are percent-encoded",
    arguments: [
      ("aZ09-._~", "aZ09-._~", "aZ09-._~"), ("a/b c+d", "a%2Fb%20c%2Bd", "a/b%20c%2Bd"),
      ("é=&%", "%C3%A9%3D%26%25", "%C3%A9%3D%26%25"),
    ])
  func encoding(_ text: String, _ query: String, _ path: String) {
    #expect(S3Signature.encoded(text) == query)
    #expect(S3Signature.encoded(text, isPath: true) == path)
  }

  @Test("the texts of XML are found and decoded")
  func xml() {
    let text = """
      <?xml version="1.0"?><A x="1">
        <Key>a&amp;lt;&lt;&gt;&quot;&#34;&apos;&#39;é</Key><Empty/><Key></Key></A>
      """
    let xml = XMLText(Array(text.utf8))
    #expect(xml.all("Key") == ["a&lt;<>\"\"''é", ""])
    #expect(xml["Key"] == "a&lt;<>\"\"''é")
    #expect(xml["Empty"] == nil)
    #expect(xml.root == "A")
    // A text that ends anywhere must not trap.
    for count in 0..<text.utf8.count { _ = XMLText(Array(text.utf8.prefix(count))) }
  }

  #if os(Linux)
    private static let hasPython = (try? ChildProcess.runAndWait("python3", ["--version"])) != nil

    /// Signs each line of the arguments by Python's hmac and urllib.
    private static let python = """
      import hashlib, hmac, json, sys
      from urllib.parse import quote
      def mac(key, text): return hmac.new(key, text.encode(), hashlib.sha256).digest()
      for method, name, query, token, region, secret in json.loads(sys.argv[1]):
          headers = {"host": "h:1", "x-amz-date": "20261128T010203Z", "x-amz-content-sha256": "0" * 64}
          if token: headers["x-amz-security-token"] = token
          items = "&".join(quote(k, "-._~") + "=" + quote(v, "-._~") for k, v in sorted(query.items()))
          lines = "".join(f"{k}:{headers[k]}\\n" for k in sorted(headers))
          names = ";".join(sorted(headers))
          text = "\\n".join([method, "/" + quote(name, "/-._~"), items, lines, names, "0" * 64])
          scope = f"20261128/{region}/s3/aws4_request"
          digest = hashlib.sha256(text.encode()).hexdigest()
          key = ("AWS4" + secret).encode()
          for part in scope.split("/"): key = mac(key, part)
          print(mac(key, f"AWS4-HMAC-SHA256\\n20261128T010203Z\\n{scope}\\n{digest}").hex())
      """

    @Test("random requests have the signatures that Python computes", .enabled(if: hasPython))
    func random() async throws {
      let alphabet = Array("abcXYZ019-._~/ +=&?#%é€\u{1F600}*'()")
      func text(_ counts: ClosedRange<Int>) -> String {
        String((0..<Int.random(in: counts)).compactMap { _ in alphabet.randomElement() })
      }
      struct Case: Encodable {
        let method = ["GET", "PUT", "DELETE"].randomElement() ?? "GET"
        let name: String
        let query: [String: String]
        let token: String
        let region = ["us-east-1", "garage"].randomElement() ?? ""
        let secret: String
        func encode(to encoder: any Encoder) throws {
          var list = encoder.unkeyedContainer()
          try list.encode(method)
          try list.encode(name)
          try list.encode(query)
          try list.encode(token)
          try list.encode(region)
          try list.encode(secret)
        }
      }
      let cases = (0..<200).map { number in
        Case(
          name: text(0...20),
          query: number % 2 == 0 ? [:] : ["k" + text(1...5): text(0...9), "a": "b"],
          token: number % 3 == 0 ? "token\(number)" : "", secret: "secret\(number)")
      }
      let ours = try cases.map { request in
        var headers = ["host": "h:1", "x-amz-date": "20261128T010203Z"]
        headers["x-amz-content-sha256"] = String(repeating: "0", count: 64)
        if request.token != "" { headers["x-amz-security-token"] = request.token }
        let query = request.query
          .sorted { $0.key.unicodeScalars.lexicographicallyPrecedes($1.key.unicodeScalars) }
          .map { "\(S3Signature.encoded($0.key))=\(S3Signature.encoded($0.value))" }
        let header = try S3Signature.authorization(
          request.method, "/" + S3Signature.encoded(request.name, isPath: true),
          query.joined(separator: "&"), headers,
          S3Credentials(accessKeyID: "id", secretAccessKey: request.secret), region: request.region)
        return String(header.suffix(64))
      }
      let json = String(decoding: try JSONEncoder().encode(cases), as: UTF8.self)
      let ended = try await ChildProcess.run("python3", ["-c", Self.python, json])
      #expect(ended.status == 0, "\(ended.output)")
      #expect(ended.output.split(separator: "\n").map(String.init) == ours)
    }
  #endif
}
