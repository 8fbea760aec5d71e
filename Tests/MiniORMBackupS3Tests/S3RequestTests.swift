import Foundation
import Testing

@testable import MiniORMBackupS3

@Suite("Requests of S3")
struct S3RequestTests {
  private static func store(
    _ endpoint: String = "https://s3.example.org", region: String = "r", bucket: String = "b",
    prefix: String = "", virtualHost: Bool = false
  ) throws -> S3Store {
    try S3Store(
      endpoint: endpoint, region: region, bucket: bucket, prefix: prefix, virtualHost: virtualHost,
      credentials: { .example })
  }

  @Test(
    "the bucket is in the path or in the host",
    arguments: [
      (
        "https://s3.example.org", "", false, "https://s3.example.org/b/n/1",
        "https://s3.example.org/b?"
      ),
      (
        "https://s3.example.org/", "", true, "https://b.s3.example.org/n/1",
        "https://b.s3.example.org/?"
      ),
      ("HTTP://Host:80", "p/q", false, "http://host/b/p/q/n/1", "http://host/b?"),
      ("http://host:443", "p q", false, "http://host:443/b/p%20q/n/1", "http://host:443/b?"),
      ("https://host:443", "ü", true, "https://b.host/%C3%BC/n/1", "https://b.host/?"),
      ("http://[::1]:9000", "", false, "http://[::1]:9000/b/n/1", "http://[::1]:9000/b?"),
    ])
  func addresses(
    _ endpoint: String, _ prefix: String, _ virtualHost: Bool, _ object: String, _ list: String
  ) throws {
    let store = try Self.store(endpoint, prefix: prefix, virtualHost: virtualHost)
    let get = try store.signed(S3Store.Request("GET", "n/1", ""), [], .example, Date())
    #expect(get.url == object)
    let query: [(name: String, value: String)] = [("prefix", "a b/"), ("list-type", "2")]
    let listing = try store.signed(
      S3Store.Request("GET", nil, query: query, ""), [], .example, Date())
    #expect(listing.url == list + "list-type=2&prefix=a%20b%2F")
  }

  @Test("a request carries the hash of its body, the token, and a signature of both")
  func headers() throws {
    let store = try Self.store()
    let credentials = S3Credentials(
      accessKeyID: "id", secretAccessKey: "s", sessionToken: "token")
    let put = try store.signed(
      S3Store.Request("PUT", "n", body: [1], ""), try S3Signature.hash([1]), credentials,
      Date(timeIntervalSince1970: 0))
    #expect(put.method == "PUT")
    #expect(put.body == [1])
    #expect(put.timeout == .seconds(20))
    #expect(put.headers["x-amz-security-token"] == "token")
    #expect(
      put.headers["x-amz-content-sha256"]
        == "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a")
    #expect(
      put.headers["x-amz-checksum-sha256"] == "S/USLzRFVMU73i67jNK349FgCtYxw4Wl18ziPHeFRZo=")
    let expected =
      "AWS4-HMAC-SHA256 Credential=id/19700101/r/s3/aws4_request,"
      + "SignedHeaders=content-type;host;x-amz-checksum-sha256;x-amz-content-sha256;x-amz-date;"
      + "x-amz-sdk-checksum-algorithm;x-amz-security-token,"
    #expect(put.headers["authorization"]?.hasPrefix(expected) == true)
  }

  @Test(
    "an invalid endpoint is refused, and not shown",
    arguments: [
      "", "s3.example.org", "ftp://host", "https://", "https://host/path", "https://host?a",
      "https://user:hush@host", "https://host name", "https://höst", "https://host:port",
    ])
  func endpoint(_ endpoint: String) throws {
    let error = #expect(throws: S3Error.self) { try Self.store(endpoint) }
    #expect(error?.reason == .invalidArgument)
    #expect(
      error?.message == "The endpoint must be http:// or https:// and a host, without a path")
  }

  @Test(
    "an invalid region, bucket or prefix is refused",
    arguments: [
      ("", "b", "", "region"), ("r\r\nx: y", "b", "", "region"), ("r", "", "", "bucket"),
      ("r", "a/b", "", "bucket"), ("r", "..", "", "bucket"), ("r", "b", "/a", "prefix"),
      ("r", "b", "a/", "prefix"), ("r", "b", "a//b", "prefix"), ("r", "b", "a/../b", "prefix"),
      ("r", "b", "/", "prefix"),
    ])
  func place(_ region: String, _ bucket: String, _ prefix: String, _ name: String) throws {
    let error = #expect(throws: S3Error.self) {
      try Self.store(region: region, bucket: bucket, prefix: prefix)
    }
    #expect(error?.reason == .invalidArgument)
    #expect(error?.message.hasPrefix("The \(name) must ") == true)
  }
}
