import { isTruthy } from '../../shared/config/truthy.ts'
import { availableParallelism } from 'node:os'
import { relative, resolve } from 'node:path'
import { limits } from '../../shared/config/limits.ts'
import { error } from '../../shared/errors/error.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import {
  type DeploymentOptions,
  type HiddenFeature,
  hiddenFeatures,
  type Release,
} from '../../shared/records/log.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'

/** Whether to preview first, and whether to ask. */
export interface Consent {
  readonly preview: boolean
  readonly ask: boolean
}

/**
 * What a person agreed to by flags: --skip-preview and PULUMI_SKIP_CONFIRMATIONS say yes as well.
 * With --json stdout has the events of the deployment only, so that there is no preview to show.
 * Throws CLI_USAGE where someone would have to be asked and nobody can be.
 */
export function readConsent(session: CliSession, flags: Flags): Consent {
  const skipPreview = flags.is('skipPreview')
  const yes =
    flags.is('yes') || skipPreview || isTruthy(session.io.env['PULUMI_SKIP_CONFIRMATIONS'])
  if (!yes && (!session.interactive || flags.is('json')))
    throw error(
      'CLI_USAGE',
      '--yes or --skip-preview must be passed in to proceed in non-interactive mode or with --json',
    )
  return { preview: !skipPreview && !flags.is('json'), ask: !yes }
}

/** Whether a command whose own work needs no program runs it: --run-program, PULUMI_RUN_PROGRAM. */
export function readRunProgram(session: CliSession, flags: Flags): boolean {
  return flags.is('runProgram') || isTruthy(session.io.env['PULUMI_RUN_PROGRAM'])
}

const hidingVariables: Readonly<Record<HiddenFeature, string>> = {
  resourceReferences: 'PULUMI_DISABLE_RESOURCE_REFERENCES',
  outputValues: 'PULUMI_DISABLE_OUTPUT_VALUES',
}

/**
 * What only variables say: whether equal inputs are no difference, whatever the provider says
 * (PULUMI_ENABLE_LEGACY_DIFF), whether a refresh compares outputs only
 * (PULUMI_ENABLE_LEGACY_REFRESH_DIFF), and which features programs are not told of
 * (PULUMI_DISABLE_RESOURCE_REFERENCES, PULUMI_DISABLE_OUTPUT_VALUES).
 */
export function readVariableOptions({
  io: { env },
}: CliSession): Pick<DeploymentOptions, 'legacyDiff' | 'legacyRefreshDiff' | 'withoutFeatures'> {
  const withoutFeatures = hiddenFeatures.filter(name => isTruthy(env[hidingVariables[name]]))
  return {
    ...(isTruthy(env['PULUMI_ENABLE_LEGACY_DIFF']) ? { legacyDiff: true } : {}),
    ...(isTruthy(env['PULUMI_ENABLE_LEGACY_REFRESH_DIFF']) ? { legacyRefreshDiff: true } : {}),
    ...(withoutFeatures.length > 0 ? { withoutFeatures } : {}),
  }
}

/** Refuses flags that contradict --preview-only. Throws CLI_USAGE. */
export function checkPreviewOnly(flags: Flags): void {
  for (const [name, spelled] of [
    ['skipPreview', '--skip-preview'],
    ['yes', '--yes'],
  ] as const) {
    if (flags.is(name))
      throw error('CLI_USAGE', `${spelled} and --preview-only cannot be used together`)
  }
}

/**
 * How many operations may be in flight: --parallel, else PULUMI_PARALLEL, else four per processor,
 * as in Pulumi. Throws CLI_USAGE.
 */
export function readParallel(session: CliSession, flags: Flags): number {
  const text = flags.text('parallel')
  if (text !== undefined) {
    if (!/^\d+$/.test(text)) throw error('CLI_USAGE', `--parallel takes a number, not '${text}'`)
    return clampParallel(Number(text))
  }
  const fromEnv = Number(session.io.env['PULUMI_PARALLEL'] ?? '')
  if (Number.isInteger(fromEnv) && fromEnv > 0) return clampParallel(fromEnv)
  return availableParallelism() * 4
}

/**
 * How long each function may last, in ms: --function-limit, as `90s`, `15m` or `1h`. Throws
 * CLI_USAGE.
 */
export function readFunctionLimit(flags: Flags): number | undefined {
  const text = flags.text('functionLimit')
  if (text === undefined) return undefined
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)(s|m|h)$/.exec(text) ?? []
  const seconds = { s: 1, m: 60, h: 3_600 }[unit]
  const shortest = limits.functionLimitMinMs / 1_000
  if (seconds === undefined || Number(number) * seconds < shortest)
    throw error(
      'CLI_USAGE',
      `--function-limit takes a time of at least ${shortest} seconds, such as 90s or 15m, not '${text}'`,
    )
  return Number(number) * seconds * 1_000
}

/** When deletes may begin: --release. Throws CLI_USAGE. */
export function readRelease(flags: Flags): Release {
  const text = flags.text('release') ?? 'dataflow'
  if (text === 'dataflow' || text === 'antichain') return text
  throw error('CLI_USAGE', `--release takes dataflow or antichain, not '${text}'`)
}

/**
 * The policy packs of --policy-pack, each with its --policy-pack-config where there are some.
 * Throws CLI_USAGE.
 */
export function readPolicyPacks(
  session: Pick<CliSession, 'cwd' | 'requireProject'>,
  flags: Flags,
): Pick<DeploymentOptions, 'policyPacks'> {
  const [packs, configs] = [flags.list('policyPack'), flags.list('policyPackConfig')]
  if (configs.length > 0 && configs.length !== packs.length)
    throw error(
      'CLI_USAGE',
      `there are ${packs.length} --policy-pack, and ${configs.length} --policy-pack-config for them`,
    )
  if (packs.length === 0) return {}
  const { root } = session.requireProject()
  const toProjectPath = (path: string): string => {
    const found = resolve(session.cwd, path)
    const within = relative(root, found)
    // What belongs to the project goes wherever that goes.
    return within.startsWith('..') ? found : within === '' ? '.' : within
  }
  return {
    policyPacks: packs.map((path, at) => {
      const config = configs[at]
      const found = { path: toProjectPath(path) }
      return config === undefined ? found : { ...found, config: toProjectPath(config) }
    }),
  }
}

/** Whether to read the resources first: --refresh, else the project's option. Throws CLI_USAGE. */
export function readRefresh(flags: Flags, project: Project): boolean {
  const text = flags.is('refresh') ? 'true' : flags.text('refresh')
  if (text === undefined) return project.refreshAlways
  if (/^(true|t|1)$/i.test(text)) return true
  if (/^(false|f|0)$/i.test(text)) return false
  throw error('CLI_USAGE', `--refresh takes true or false, not '${text}'`)
}

function clampParallel(parallel: number): number {
  return Math.min(Math.max(parallel, 1), 0x7fffffff)
}
