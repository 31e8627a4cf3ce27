import * as z from 'zod'
import { commaSeparatedList } from './comma-separated-list.ts'
import { publicUrlForm } from '../shared/config/public-url.ts'
import { findNetworkConflicts, networkSettingForms } from './network-settings.ts'
import {
  defaultInstallation,
  groupInstallationCharsMax,
  groupInstallationOf,
  installationPattern,
} from '../shared/config/aws-resource-names.ts'
import { parseStackGroups } from '../shared/config/stack-groups.ts'

/** The prefix of settings in the context: `antichain:<name>` in cdk.json or with `-c`. */
const settingPrefix = 'antichain:'

const createWholeNumberForm = (minimum: number, maximum: number, defaultValue: number) =>
  z.coerce.number().int().min(minimum).max(maximum).default(defaultValue)

const createOptionalNumberForm = (maximum: number) =>
  z.coerce.number().int().min(0).max(maximum).optional()

/** Memory of a Fargate task by its CPU units, in MB: minimum and maximum. Source: ECS's manual. */
const fargateMemoryMb: Readonly<Record<number, readonly [number, number]>> = {
  512: [1_024, 4_096],
  1_024: [2_048, 8_192],
  2_048: [4_096, 16_384],
  4_096: [8_192, 30_720],
}
const fargateMemoryStepMb = 1_024

/** The form of the groups of an installation. */
const stackGroupsForm = z
  .string()
  .default('')
  .transform((text, context) => {
    const groups = parseStackGroups(text)
    if (!('problem' in groups)) return groups
    context.addIssue({ code: 'custom', message: groups.problem })
    return z.NEVER
  })

const settingsForm = z.strictObject({
  /** The prefix of all resource names. Several installations can share one account and region. */
  installation: z
    .string()
    .regex(
      installationPattern,
      '2 to 20 lower-case letters, digits and `-`, beginning with a letter',
    )
    .default(defaultInstallation),
  region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region such as eu-central-1'),
  architecture: z.enum(['arm64', 'x86_64']).default('arm64'),
  /**
   * Patterns of role ARNs that deployments may assume, separated by commas; `*` matches any text.
   * Default: roles of any account whose names begin with the installation's name and `-deploy-`.
   */
  deploymentRoles: commaSeparatedList,
  /**
   * The groups of stacks, as `<name>=<project>,<prefix>*;<name>=…`. No group can access another
   * group. A project is in the default group if no other group lists it.
   */
  groups: stackGroupsForm,
  /** Additional tags of every resource, as `name=value`, separated by commas. */
  tags: commaSeparatedList.pipe(z.array(z.string().regex(/^[^=]+=[^=]+$/, 'name=value'))),
  /** The address that receives the emails of alarms. Absent: no emails are sent. */
  alarmEmail: z.email().optional(),
  /**
   * The collector that gets traces, metrics and logs as OTLP over HTTP. All functions except the
   * installer and the scaler send them, and so do the tasks of the long pool. The address cannot
   * contain a password, because everyone who may read a function sees its variables. Absent:
   * nothing is sent.
   */
  telemetryEndpoint: z
    .url({ protocol: /^https?$/, error: 'a URL of HTTP, such as https://collector.internal:4318' })
    .refine(url => !/^[^/]+\/\/[^/]*@/.test(url), 'a URL without user and password')
    .optional(),
  /**
   * The address at which browsers reach the dashboard. Links in commit statuses and comments begin
   * with it. Absent: the address of the API.
   */
  publicUrl: publicUrlForm.optional(),
  /** Retention time of logs, in days. */
  logDays: z.coerce
    .number()
    .pipe(z.literal([1, 3, 5, 7, 14, 30, 60, 90, 180, 365]))
    .default(30),
  /** Memory of the API, and of the function for Pulumi's own command line. */
  apiMb: createWholeNumberForm(256, 10_240, 1_024),
  /** Memory of generators. Many accounts limit a function to 3,008 MB until they request more. */
  generatorMb: createWholeNumberForm(1_024, 10_240, 3_008),
  executorMb: createWholeNumberForm(1_024, 10_240, 3_008),
  compactionMb: createWholeNumberForm(512, 10_240, 3_008),
  /** Scratch space of generators and executors, for unpacked programs and plugins. */
  scratchMb: createWholeNumberForm(512, 10_240, 8_192),
  /**
   * Maximum number of concurrent generators, which is the number of deployments that make decisions
   * at the same time.
   */
  generatorsMax: createWholeNumberForm(2, 1_000, 20),
  /** Maximum number of concurrent executors; each runs up to 64 operations. */
  executorsMax: createWholeNumberForm(2, 1_000, 100),
  /**
   * While at most this many operations are in flight, a generator runs them itself, without
   * executors. 0: executors run all operations.
   */
  inlineMax: createWholeNumberForm(0, 64, 8),
  /** Maximum number of concurrent long-pool tasks, for executors and generators each. */
  longTasksMax: createWholeNumberForm(1, 19, 4),
  /** CPU units of a long-pool task: 1,024 units are one virtual CPU. */
  longCpu: z.coerce
    .number()
    .pipe(z.literal([512, 1_024, 2_048, 4_096]))
    .default(1_024),
  /** Memory of a long-pool task. */
  longMb: createWholeNumberForm(1_024, 30_720, 4_096),
  /**
   * Warm throughput of the tables, in requests per second. A value above the default has a one-time
   * cost.
   */
  warmReads: createWholeNumberForm(12_000, 4_000_000, 12_000),
  warmWrites: createWholeNumberForm(4_000, 4_000_000, 4_000),
  /**
   * Whether deletion of the data stack and of both tables is refused. CloudFormation must be able
   * to remove them when their creation fails, so `platform deploy` creates them with `off` first.
   */
  dataProtection: z.enum(['on', 'off']).default('on'),
  /**
   * The key that encrypts tables and bucket at rest: one of the installation, or keys of AWS, which
   * cost nothing. An installation cannot change from its own key to keys of AWS.
   */
  dataKey: z.enum(['own', 'aws']).default('own'),
  /**
   * The key that encrypts data keys of stacks and secrets of triggers: one of the installation, or
   * the ARN of an existing one. An existing key is in the same account and region. An installation
   * cannot change this setting.
   */
  secretsKey: z
    .union([
      z.literal('own'),
      z.string().regex(/^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]+$/),
    ])
    .default('own'),
  /** `one`: one alarm for dead letters, stuck deployments and late snapshots replaces all others. */
  alarms: z.enum(['all', 'one']).default('all'),
  /** Whether CloudWatch has a dashboard of the installation. */
  dashboard: z.enum(['on', 'off']).default('on'),
  /** Time for which replaced and removed versions of objects are kept. */
  noncurrentDays: createWholeNumberForm(1, 3_650, 30),
  /** Maximum rate of webhook requests, per second. */
  webhooksPerSecond: createWholeNumberForm(1, 1_000, 20),
  /**
   * Concurrent calls that Lambda reserves for the API and allows at most. 0: no reservation, as
   * accounts with the lowest quota require. Absent: depends on `availableConcurrency`.
   */
  apiConcurrency: createOptionalNumberForm(1_000),
  /** Like `apiConcurrency`, for the function for Pulumi's own command line. */
  serviceConcurrency: createOptionalNumberForm(1_000),
  /** Like `apiConcurrency`, for the webhook function. */
  webhookConcurrency: createOptionalNumberForm(1_000),
  /**
   * Concurrent calls of the account that no function outside of the installation has reserved.
   * `platform deploy` reads the number. Absent: unknown.
   */
  availableConcurrency: createOptionalNumberForm(1_000_000),
  ...networkSettingForms,
})

const checkedSettingsForm = settingsForm.superRefine((settings, context) => {
  for (const { name, message } of findNetworkConflicts(settings))
    context.addIssue({ code: 'custom', path: [name], message })
  for (const { name } of settings.groups)
    if (groupInstallationOf(settings.installation, name).length > groupInstallationCharsMax) {
      const message = `the group '${name}' has a name that is too long for this installation: the names of both have at most ${groupInstallationCharsMax - 1} characters together`
      context.addIssue({ code: 'custom', path: ['groups'], message })
    }
  const { longCpu, longMb, region, secretsKey } = settings
  if (secretsKey !== 'own' && secretsKey.split(':')[3] !== region)
    context.addIssue({
      code: 'custom',
      path: ['secretsKey'],
      message: `the key must be in ${region}, the region of the installation`,
    })
  const [minimum, maximum] = fargateMemoryMb[longCpu] ?? [0, 0]
  if (longMb >= minimum && longMb <= maximum && longMb % fargateMemoryStepMb === 0) return
  const message = `Fargate offers ${minimum} to ${maximum} MB in steps of ${fargateMemoryStepMb} for longCpu=${longCpu}, not ${longMb}`
  context.addIssue({ code: 'custom', path: ['longMb'], message })
})

/** The settings of an installation: sizes in MB, times in the unit of their names. */
export type Settings = z.infer<typeof settingsForm>

/** The problems of invalid settings, one sentence each. */
export interface SettingsProblems {
  readonly problems: readonly string[]
}

/** Reads the settings from context values. Only values with the prefix are used. */
export function readInstallationSettings(
  context: Readonly<Record<string, unknown>>,
): Settings | SettingsProblems {
  const settings = Object.entries(context).flatMap(([key, value]) =>
    key.startsWith(settingPrefix) ? [[key.slice(settingPrefix.length), value] as const] : [],
  )
  const parseResult = checkedSettingsForm.safeParse(Object.fromEntries(settings))
  if (parseResult.success) return parseResult.data
  return {
    problems: parseResult.error.issues.map(
      ({ path, message }) => `${settingPrefix}${path.join('.')}: ${message}`,
    ),
  }
}

/** The names of all settings, without the prefix. */
export const settingNames: readonly string[] = Object.keys(settingsForm.shape)
