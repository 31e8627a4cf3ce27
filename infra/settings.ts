import { z } from 'zod'
import { defaultInstallation, installationPattern } from '../shared/config/aws-resource-names.ts'

/** Settings are given as context, each as `antichain:<name>`: in cdk.json or with `-c`. */
const settingPrefix = 'antichain:'

const wholeNumber = (least: number, most: number, usual: number) =>
  z.coerce.number().int().min(least).max(most).default(usual)

const listed = z
  .string()
  .default('')
  .transform(text =>
    text
      .split(',')
      .map(part => part.trim())
      .filter(part => part !== ''),
  )

const schema = z.strictObject({
  /** Names of everything begin with it: several installations fit into one account and region. */
  installation: z
    .string()
    .regex(installationPattern, '2 to 20 small letters, digits and `-`, a letter first')
    .default(defaultInstallation),
  region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region as in eu-central-1'),
  architecture: z.enum(['arm64', 'x86_64']).default('arm64'),
  /**
   * Patterns of ARNs of roles that deployments may take on, comma between; `*` stands for any text.
   * Default: roles of any account whose names begin with the installation's and `-deploy-`.
   */
  deploymentRoles: listed,
  /** More tags of every part, as `name=value`, comma between. */
  tags: listed.pipe(z.array(z.string().regex(/^[^=]+=[^=]+$/, 'name=value'))),
  /** Who is told of alarms; nobody when it is left out. */
  alarmEmail: z.email().optional(),
  logDays: z.coerce
    .number()
    .pipe(z.literal([1, 3, 5, 7, 14, 30, 60, 90, 180, 365]))
    .default(30),
  apiMb: wholeNumber(256, 10_240, 1_024),
  generatorMb: wholeNumber(1_024, 10_240, 3_072),
  executorMb: wholeNumber(1_024, 10_240, 3_072),
  compactionMb: wholeNumber(512, 10_240, 3_072),
  /** Scratch space of generators and executors: unpacked programs and plugins. */
  scratchMb: wholeNumber(512, 10_240, 8_192),
  /** Generators at once, that is deployments that decide at the same moment. */
  generatorsMax: wholeNumber(2, 1_000, 20),
  /** Executors at once; each runs up to 64 operations. */
  executorsMax: wholeNumber(2, 1_000, 100),
  /** Tasks of the long pool at once, executors and generators each. */
  // A policy has at most twenty steps, one for each number of tasks.
  longTasksMax: wholeNumber(1, 19, 4),
  longCpu: z.coerce
    .number()
    .pipe(z.literal([512, 1_024, 2_048, 4_096]))
    .default(1_024),
  longMb: wholeNumber(1_024, 30_720, 4_096),
  /** Requests a second that the tables take at once; more than the default costs once. */
  warmReads: wholeNumber(12_000, 4_000_000, 12_000),
  warmWrites: wholeNumber(4_000, 4_000_000, 4_000),
  /** Earlier versions of an object stay so long after they were replaced or removed. */
  noncurrentDays: wholeNumber(1, 3_650, 30),
  /** Webhooks a second that are let through. */
  webhooksPerSecond: wholeNumber(1, 1_000, 20),
})

/** How an installation is to be: sizes in MB, times in the unit of their names. */
export type Settings = z.infer<typeof schema>

/** What zod says of settings that are wrong, one sentence each. */
export interface SettingsProblem {
  readonly problems: readonly string[]
}

/** Reads the settings from context values, of which only those with our prefix are looked at. */
export function readInstallationSettings(
  context: Readonly<Record<string, unknown>>,
): Settings | SettingsProblem {
  const settings = Object.entries(context).flatMap(([key, value]) =>
    key.startsWith(settingPrefix) ? [[key.slice(settingPrefix.length), value] as const] : [],
  )
  const read = schema.safeParse(Object.fromEntries(settings))
  if (read.success) return read.data
  return {
    problems: read.error.issues.map(
      ({ path, message }) => `${settingPrefix}${path.join('.')}: ${message}`,
    ),
  }
}

/** The names of all settings, without prefix. */
export const settingNames: readonly string[] = Object.keys(schema.shape)
