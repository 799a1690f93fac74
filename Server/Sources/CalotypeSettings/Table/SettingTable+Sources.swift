extension SettingTable {
  static let sources = SettingRows.group(.sources) {
    Setting("LOCAL_FILESYSTEM_ROOT", \.sources.localRoot, .path, .mapPlus, "The folder of `local://`.")
    Setting("USE_S3", \.sources.usesS3, .flag, .map, "Serves `s3://bucket/key`.")
    Setting(
      "S3_REGION", \.sources.s3.region, .text, .map,
      "The region; without, `us-west-1`."
    ).alias(SettingAlias("AWS_DEFAULT_REGION")).alias(SettingAlias("AWS_REGION"))
    Setting("S3_ENDPOINT", \.sources.s3.endpoint, .webURL, .map, "The URL of the service.")
    Setting(
      "S3_ENDPOINT_USE_PATH_STYLE", \.sources.s3.usesPathStyle, .flag, .map,
      "Puts the bucket into the path instead of the name of the host.")
    Setting("S3_ASSUME_ROLE_ARN", \.sources.s3.roleARN, .text, .map, "The role that is assumed.")
    Setting(
      "S3_ASSUME_ROLE_EXTERNAL_ID", \.sources.s3.roleExternalID, .text, .map, "The external id of the role.")
    Setting(
      "S3_ALLOWED_BUCKETS", \.sources.s3AllowedBuckets, .list(.comma, .text), .map,
      "Buckets that may be named.")
    Setting(
      "S3_DENIED_BUCKETS", \.sources.s3DeniedBuckets, .list(.comma, .text), .map,
      "Buckets that may not be named, even if they are allowed.")
    Setting(
      "S3_ACCESS_POINTS", \.sources.s3AccessPoints, .pairs(.semicolon), .map,
      "Names of access points and their ARNs.")
    Setting(
      "S3_ACCESS_KEY_ID", \.sources.s3.accessKeyID, .text, .own,
      "The id of the access key; without, credentials come from the platform."
    ).alias(SettingAlias("AWS_ACCESS_KEY_ID"))
    Setting(
      "S3_SECRET_ACCESS_KEY", \.sources.s3.secretAccessKey, .text, .own, "The secret of the access key."
    ).secret().alias(SettingAlias("AWS_SECRET_ACCESS_KEY"))
    Setting(
      "S3_SESSION_TOKEN", \.sources.s3.sessionToken, .text, .own, "The token of temporary credentials."
    ).secret().alias(SettingAlias("AWS_SESSION_TOKEN"))
    Setting(
      "S3_BUCKET_CREDENTIALS", \.sources.s3BucketCredentials, .pairs(.semicolon), .own,
      "Credentials of single buckets, `bucket=id:secret`."
    ).secret()
  }

  static let cache = SettingRows.group(.cache) {
    Setting(
      "CACHE_USE", \.cache.storage, choice(Settings.Cache.Storage.self), .mapPlus,
      "The place for results besides memory; without, `CACHE_FS_ROOT` if it is set."
    )
    .unsupported("gcs", "results are kept in a folder or an S3 bucket")
    .unsupported("abs", "results are kept in a folder or an S3 bucket")
    .unsupported("swift", "results are kept in a folder or an S3 bucket")
    Setting(
      "CACHE_PATH_PREFIX", \.cache.pathPrefix, .text, .map, "The beginning of the names of stored results.")
    Setting("CACHE_FS_ROOT", \.cache.directory, .path, .map, "The folder for results.")
    Setting("CACHE_BUCKET", \.cache.bucket, .text, .map, "The bucket for results.")
    Setting("CACHE_S3_REGION", \.cache.s3.region, .text, .map, "The region of the bucket.")
    Setting("CACHE_S3_ENDPOINT", \.cache.s3.endpoint, .webURL, .map, "The URL of the bucket's service.")
    Setting(
      "CACHE_S3_ENDPOINT_USE_PATH_STYLE", \.cache.s3.usesPathStyle, .flag, .map,
      "Puts the bucket into the path instead of the name of the host.")
    Setting(
      "CACHE_S3_ASSUME_ROLE_ARN", \.cache.s3.roleARN, .text, .map, "The role that is assumed for the bucket.")
    Setting(
      "CACHE_S3_ASSUME_ROLE_EXTERNAL_ID", \.cache.s3.roleExternalID, .text, .map,
      "The external id of that role.")
    Setting(
      "CACHE_S3_ACCESS_KEY_ID", \.cache.s3.accessKeyID, .text, .own,
      "The id of the access key for the bucket; without, credentials come from the platform.")
    Setting(
      "CACHE_S3_SECRET_ACCESS_KEY", \.cache.s3.secretAccessKey, .text, .own,
      "The secret of the access key for the bucket."
    ).secret()
    Setting(
      "CACHE_S3_SESSION_TOKEN", \.cache.s3.sessionToken, .text, .own,
      "The token of temporary credentials for the bucket."
    ).secret()
    Setting(
      "REDIS_URL", \.cache.redisURL, .text, .own,
      "The URL of a Redis or Valkey server that coordinates nodes with a common bucket: `redis://` or, with TLS, `rediss://`."
    ).secret()
    Setting(
      "CACHE_BUCKET_MIN_COST", \.cache.bucketMinimumCost, .duration, .own,
      "The least time that making a result took for it to be kept in the bucket: cheaper ones cost less than a write that is paid for. 0 keeps all."
    )
    Setting(
      "CACHE_REDIS_TTL", \.cache.redisLifetime, .duration, .own,
      "How long results of up to 64 KiB are kept in Redis, in front of the bucket; 0: they are not.")
    Setting(
      "CACHE_KEY_HEADERS", \.cache.keyHeaders, .list(.comma, .token), .map,
      "Headers of requests on which results depend.")
    Setting(
      "CACHE_KEY_COOKIES", \.cache.keyCookies, .list(.comma, .token), .map,
      "Cookies of requests on which results depend.")
    Setting(
      "CACHE_REPORT_ERRORS", \.cache.reportsErrors, .flag, .map,
      "Reports errors of the cache as those of the request.")
    Setting(
      "CACHE_TAGS_FORMAT", \.cache.tagsFormat, choice(Settings.Cache.TagsFormat.self), .map,
      "The headers in which responses name their tags.")
    Setting(
      "CACHE_MEMORY_SIZE", \.cache.memoryBytes, .byteCount, .own,
      "Most bytes of results in memory; 0 for a quarter of the memory, at most 512 MiB.")
    Setting("CACHE_DISK_SIZE", \.cache.diskBytes, .byteCount, .own, "Most bytes of results in the folder.")
    Setting(
      "CACHE_SOURCE_SIZE", \.cache.sourceBytes, .byteCount, .own,
      "Most bytes of sources in the folder; 0: they are not kept.")
  }

  static let unusedSources: [UnusedSetting] = [
    .init("S3_USE_DECRYPTION_CLIENT", .refused, "objects that clients encrypt are not supported"),
    .init("CACHE_S3_USE_DECRYPTION_CLIENT", .refused, "objects that clients encrypt are not supported"),
    .init("USE_GCS", .planned, "until then, its HTTPS URLs are sources"),
    .init("GCS_KEY", .planned, "until then, its HTTPS URLs are sources"),
    .init("GCS_ENDPOINT", .planned, "until then, its HTTPS URLs are sources"),
    .init("GCS_ALLOWED_BUCKETS", .planned, "until then, ALLOWED_SOURCES limits the buckets"),
    .init("GCS_DENIED_BUCKETS", .planned, "until then, ALLOWED_SOURCES limits the buckets"),
    .init("USE_ABS", .planned, "until then, its HTTPS URLs are sources"),
    .init("ABS_NAME", .planned, "until then, its HTTPS URLs are sources"),
    .init("ABS_KEY", .planned, "until then, its HTTPS URLs are sources"),
    .init("ABS_ENDPOINT", .planned, "until then, its HTTPS URLs are sources"),
    .init("ABS_ALLOWED_CONTAINERS", .planned, "until then, ALLOWED_SOURCES limits the containers"),
    .init("ABS_DENIED_CONTAINERS", .planned, "until then, ALLOWED_SOURCES limits the containers"),
    .init("ABS_ALLOWED_BUCKETS", .planned, "until then, ALLOWED_SOURCES limits the containers"),
    .init("ABS_DENIED_BUCKETS", .planned, "until then, ALLOWED_SOURCES limits the containers"),
    .init("USE_SWIFT", .refused, "OpenStack Swift is not supported"),
    .init("SWIFT_*", .refused, "OpenStack Swift is not supported"),
    .init("SWIFT_*", .refused, "OpenStack Swift is not supported", prefix: "IMGRPOXY_"),
    .init("CACHE_GCS_*", .refused, "results are kept in a folder or an S3 bucket"),
    .init("CACHE_ABS_*", .refused, "results are kept in a folder or an S3 bucket"),
    .init("CACHE_SWIFT_*", .refused, "results are kept in a folder or an S3 bucket"),
  ]
}
