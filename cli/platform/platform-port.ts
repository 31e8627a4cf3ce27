import type { TokenDays } from '../../shared/api/issue-token.ts'
import type { SubnetDescription } from './find-network-faults.ts'

/** An installation on AWS, and the environment of commands for it. */
export interface InstallationTarget {
  readonly installation: string
  readonly region: string
  /** The environment of child processes, including the named profile and the region. */
  readonly env: Readonly<Record<string, string>>
}

/** The external services that `antichain platform` uses. */
export interface PlatformTools {
  /** Returns the AWS account id of the credentials. Throws PLATFORM_CREDENTIALS_MISSING. */
  readonly readAccount: (target: InstallationTarget) => Promise<string>
  /** Runs the CDK's command line to its end, and shows its output. */
  readonly runCdk: (target: InstallationTarget, args: readonly string[]) => Promise<CdkRun>
  /**
   * Returns the status of each resource of an installation, including missing ones. Throws
   * PLATFORM_PERMISSION_MISSING, PLATFORM_FAILED.
   */
  readonly inspect: (target: InstallationTarget, account: string) => Promise<InstallationStatus>
  /**
   * Returns the number of concurrent calls of the account that no function outside of the
   * installation has reserved. Throws PLATFORM_PERMISSION_MISSING, PLATFORM_FAILED.
   */
  readonly readAvailableConcurrency: (target: InstallationTarget) => Promise<number>
  /**
   * Describes those subnets of `ids` that exist. Throws PLATFORM_PERMISSION_MISSING,
   * PLATFORM_FAILED.
   */
  readonly describeSubnets: (
    target: InstallationTarget,
    ids: readonly string[],
  ) => Promise<readonly SubnetDescription[]>
  /**
   * Describes the key for secrets of an installation. Returns undefined if there is none. Throws
   * PLATFORM_PERMISSION_MISSING, PLATFORM_FAILED.
   */
  readonly describeSecretsKey: (target: InstallationTarget) => Promise<SecretsKey | undefined>
  /**
   * Returns the reason for which an existing key cannot encrypt the secrets of a new installation.
   * Throws PLATFORM_PERMISSION_MISSING, PLATFORM_FAILED.
   */
  readonly findSecretsKeyFault: (
    target: InstallationTarget,
    arn: string,
  ) => Promise<string | undefined>
  /** Returns the settings in the context of cdk.json, as name=value. */
  readonly readContextSettings: () => readonly string[]
  /**
   * Returns the number of busy tasks in the long pool of a group. A busy task protects itself from
   * scale-in. `groupInstallation`: the installation, or a result of `groupInstallationOf`. Throws
   * PLATFORM_PERMISSION_MISSING, PLATFORM_FAILED.
   */
  readonly countProtectedTasks: (
    target: InstallationTarget,
    groupInstallation: string,
  ) => Promise<number>
  /** Calls `use` with the alarm of this name, and closes the connections afterwards. */
  readonly useAlarm: <Result>(
    target: InstallationTarget,
    name: string,
    use: (alarm: AlarmPort) => Promise<Result>,
  ) => Promise<Result>
  /** Creates an admin token. Throws PLATFORM_NOT_FOUND, PLATFORM_PERMISSION_MISSING. */
  readonly createToken: (
    target: InstallationTarget,
    token: Omit<InstallationTokenRequest, 'userName'>,
  ) => Promise<{ readonly id: string; readonly token: string }>
}

/** A key for secrets. `isOwn`: the installation created the key. */
export interface SecretsKey {
  readonly arn: string
  readonly isOwn: boolean
}

/** An alarm of CloudWatch. Each method throws PLATFORM_PERMISSION_MISSING, PLATFORM_FAILED. */
export interface AlarmPort {
  /** Returns the state and the time of its last change. Undefined if the alarm is missing. */
  readonly read: () => Promise<{ readonly isRaised: boolean; readonly changedAt: Date } | undefined>
  /** Sets the state until CloudWatch evaluates the metric again. */
  readonly setState: (state: 'ALARM' | 'OK', reason: string) => Promise<void>
  /** Returns the summaries of the actions since a time, in CloudWatch's words, latest first. */
  readonly listActions: (since: Date) => Promise<readonly string[]>
}

/** A token to create in the tables of an installation. */
export interface InstallationTokenRequest {
  /** The creator of the token, for the audit log. */
  readonly userName: string
  readonly name: string
  /** Days until the token expires. Absent: the default of the API. */
  readonly days?: TokenDays
}

/** The exit code of a CDK run, and the end of its output. */
export interface CdkRun {
  readonly exitCode: number
  readonly output: string
}

/** The status of the stores and queues of a group of stacks. */
export interface GroupStatus {
  readonly tables: readonly TableStatus[]
  readonly queues: readonly QueueStatus[]
  readonly bucket: { readonly name: string; readonly isThere: boolean }
}

/**
 * The status of each resource of an installation. Its tables, queues and bucket are those of the
 * default group. A missing address is undefined.
 */
export interface InstallationStatus extends GroupStatus {
  /** The other groups, by name. */
  readonly groups: Readonly<Record<string, GroupStatus>>
  /** Whether there may be groups that `groups` lacks, because a permission is missing. */
  readonly areGroupsUnknown?: true
  readonly apiUrl: string | undefined
  /** The address for Pulumi's own command line. */
  readonly serviceUrl: string | undefined
  readonly webhookUrl: string | undefined
}

/**
 * A table. `status`: the status in DynamoDB, undefined if the table is missing. `isProtected`:
 * whether its deletion is refused. `hasOwnKey`: whether a key of the installation encrypts it.
 */
export interface TableStatus {
  readonly name: string
  readonly status: string | undefined
  readonly isProtected: boolean
  readonly hasOwnKey: boolean
}

/**
 * A queue with its approximate numbers of messages: `waiting` (also delayed ones), `held` (in
 * flight) and `dead` (dead letters). `counts` is undefined if the queue is missing.
 */
export interface QueueStatus {
  readonly name: string
  readonly counts:
    | { readonly waiting: number; readonly held: number; readonly dead: number }
    | undefined
}
