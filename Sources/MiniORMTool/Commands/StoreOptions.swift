import ArgumentParser
import Foundation
import MiniORMBackup
import MiniORMBackupS3

/// The options of a store that is a bucket.
struct StoreOptions: ParsableArguments {
  @Option(
    help: """
      For s3://BUCKET/FOLDER, the address of the service: AWS by default, or the environment variable \
      AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL.
      """)
  var endpoint: String?

  @Option(
    help: """
      For s3://BUCKET/FOLDER, the region of the bucket: us-east-1 by default, or the environment \
      variable AWS_REGION or AWS_DEFAULT_REGION.
      """)
  var region: String?

  @Option(
    help: """
      For s3://BUCKET/FOLDER, a file with access keys, which only you can read. By default \
      AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the environment, or ~/.aws/credentials.
      """, completion: .file())
  var credentials: String?

  static func isBucket(_ location: String) -> Bool { location.hasPrefix("s3://") }

  /// Opens a folder or a bucket.
  /// - Parameter creates: True to create a missing folder.
  func open(_ location: String, creates: Bool = false) throws -> any BackupStore {
    guard Self.isBucket(location) else {
      guard endpoint == nil, region == nil, credentials == nil else {
        throw Failure(
          .usage, "--endpoint, --region and --credentials need a bucket such as s3://bucket/app")
      }
      // Without this check, a wrong path would become a new, empty folder.
      guard creates || FileManager.default.fileExists(atPath: location) else {
        throw Failure("\(location): there is no such folder. Check the path")
      }
      return try FolderStore(location)
    }
    let variables = ProcessInfo.processInfo.environment
    func variable(_ names: String...) -> String? {
      names.lazy.compactMap { variables[$0] }.first { !$0.isEmpty }
    }
    let region = region ?? variable("AWS_REGION", "AWS_DEFAULT_REGION") ?? "us-east-1"
    let endpoint =
      endpoint ?? variable("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
      ?? "https://s3.\(region).amazonaws.com"
    let place = location.dropFirst("s3://".count)
    let bucket = place.prefix { $0 != "/" }
    let prefix = place.dropFirst(bucket.count + 1)
    let file = credentials
    // A missing key is an error of usage. Later requests read the file again, whose keys may expire.
    _ = try Self.read(file)
    return try S3Store(
      endpoint: endpoint, region: region, bucket: String(bucket),
      prefix: String(prefix.hasSuffix("/") ? prefix.dropLast() : prefix),
      credentials: { try Self.read(file) })
  }

  private static func read(_ file: String?) throws -> S3Credentials {
    let variables = ProcessInfo.processInfo.environment
    if file == nil, variables["AWS_ACCESS_KEY_ID"] != nil { return try .environment() }
    let path =
      file ?? variables["AWS_SHARED_CREDENTIALS_FILE"] ?? "\(NSHomeDirectory())/.aws/credentials"
    guard file != nil || FileManager.default.fileExists(atPath: path) else {
      throw Failure(
        .usage,
        "there is no access key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give --credentials FILE"
      )
    }
    var bytes = try SecretFile.bytes(path)
    defer { bytes.wipe() }
    do {
      return try S3Credentials(file: bytes, profile: variables["AWS_PROFILE"] ?? "default")
    } catch {
      throw Failure(.usage, "\(path): \(error.message)")
    }
  }
}

/// The store of an existing backup.
struct StoreArgument: ParsableArguments {
  @Argument(
    help: "The store of the backup: a folder, or s3://BUCKET/FOLDER.", completion: .directory)
  var store: String

  @OptionGroup var bucket: StoreOptions

  func open() throws -> any BackupStore { try bucket.open(store) }
}

/// The states that a store keeps.
struct RetentionOptions: ParsableArguments {
  @Option(help: "The age up to which every state is kept, such as 36h or 1d. 1d by default.")
  var keepAll: TimeSpan?

  @Option(help: "The age up to which the last state of each hour is kept. 7d by default.")
  var keepHourly: TimeSpan?

  @Option(help: "The age up to which the last state of each day (UTC) is kept. 31d by default.")
  var keepDaily: TimeSpan?

  var isGiven: Bool { keepAll != nil || keepHourly != nil || keepDaily != nil }

  var retention: BackupRetention {
    var retention = BackupRetention()
    if let keepAll { retention.all = keepAll.duration }
    if let keepHourly { retention.hourly = keepHourly.duration }
    if let keepDaily { retention.daily = keepDaily.duration }
    return retention
  }
}

/// A number of seconds, or of other units: `90`, `0.5s`, `15m`, `36h`, `31d`.
struct TimeSpan: ExpressibleByArgument {
  let duration: Duration

  init?(argument: String) {
    guard let match = argument.wholeMatch(of: /(\d{1,9}(?:\.\d{1,3})?)([smhd]?)/),
      let number = Double(match.1)
    else { return nil }
    let units = ["": 1.0, "s": 1, "m": 60, "h": 3_600, "d": 86_400]
    duration = .milliseconds(Int64(number * (units[String(match.2)] ?? 1) * 1_000))
  }
}
