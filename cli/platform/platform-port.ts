/** Which installation, and as whom. */
export interface InstallationTarget {
  readonly installation: string
  readonly region: string
  /** The environment of what is called: a named profile and the region are in it. */
  readonly env: Readonly<Record<string, string>>
}

/** What `antichain platform` asks of the outside. */
export interface PlatformTools {
  /** The account that the credentials belong to. Throws PLATFORM_CREDENTIALS_MISSING. */
  readonly readAccount: (where: InstallationTarget) => Promise<string>
  /** Runs the CDK's command line to its end, showing what it says. */
  readonly runCdk: (where: InstallationTarget, args: readonly string[]) => Promise<CdkRun>
  /** What is there of an installation. Throws PLATFORM_PERMISSION_MISSING. */
  readonly inspect: (where: InstallationTarget, account: string) => Promise<InstallationStatus>
  /** One that may do everything. Throws PLATFORM_NOT_FOUND, PLATFORM_PERMISSION_MISSING. */
  readonly createToken: (
    where: InstallationTarget,
    token: Omit<InstallationTokenRequest, 'who'>,
  ) => Promise<{ readonly id: string; readonly token: string }>
}

/** What a token is made with by the tables of an installation. */
export interface InstallationTokenRequest {
  /** Who makes it, for the audit log. */
  readonly who: string
  readonly name: string
  /** Days until it is good for nothing; absent: until it is revoked. */
  readonly days?: number
}

/** How a run of the CDK's command line ended, and the end of what it said. */
export interface CdkRun {
  readonly exit: number
  readonly output: string
}

/** An installation as its account shows it; what is not there is undefined. */
export interface InstallationStatus {
  readonly tables: readonly TableStatus[]
  readonly queues: readonly QueueStatus[]
  readonly bucket: { readonly name: string; readonly isThere: boolean }
  readonly apiUrl: string | undefined
  readonly webhookUrl: string | undefined
}

/** A table; `status` as DynamoDB names it. */
export interface TableStatus {
  readonly name: string
  readonly status: string | undefined
  readonly isProtected: boolean
}

/** How many messages wait, are in hand, and were given up; about, as SQS counts. */
export interface QueueStatus {
  readonly name: string
  readonly counts:
    | { readonly waiting: number; readonly held: number; readonly dead: number }
    | undefined
}
