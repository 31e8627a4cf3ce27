import { isTruthy } from '../../shared/config/truthy.ts'
import { availableParallelism } from 'node:os'
import { relative, resolve } from 'node:path'
import { limits } from '../../shared/config/limits.ts'
import { createError } from '../../shared/errors/error.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import {
  type DeploymentOptions,
  type HiddenFeature,
  hiddenFeatures,
  type DeleteRelease,
} from '../../shared/records/log.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'

/**
 * Reports whether a command runs the program although it does not need the program: with
 * --run-program or PULUMI_RUN_PROGRAM.
 */
export function mustRunProgram(session: CliSession, flags: Flags): boolean {
  return flags.isSet('runProgram') || isTruthy(session.io.env['PULUMI_RUN_PROGRAM'])
}

/** The environment variables that hide features from programs. */
const hidingVariables: Readonly<Record<HiddenFeature, string>> = {
  resourceReferences: 'PULUMI_DISABLE_RESOURCE_REFERENCES',
  outputValues: 'PULUMI_DISABLE_OUTPUT_VALUES',
}

/**
 * Returns the options that only environment variables set. PULUMI_ENABLE_LEGACY_DIFF: equal inputs
 * are no difference, regardless of the provider. PULUMI_ENABLE_LEGACY_REFRESH_DIFF: a refresh
 * compares outputs only. PULUMI_DISABLE_RESOURCE_REFERENCES, PULUMI_DISABLE_OUTPUT_VALUES: features
 * that are hidden from programs.
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

/** Throws CLI_USAGE for flags that contradict --preview-only. */
export function refuseFlagsWithPreviewOnly(flags: Flags): void {
  for (const [name, option] of [
    ['skipPreview', '--skip-preview'],
    ['yes', '--yes'],
  ] as const) {
    if (flags.isSet(name))
      throw createError('CLI_USAGE', `${option} and --preview-only cannot be used together`)
  }
}

/**
 * Returns the maximum number of concurrent operations: --parallel, else PULUMI_PARALLEL, else four
 * per processor, as in Pulumi. Throws CLI_USAGE.
 */
export function readParallel(session: CliSession, flags: Flags): number {
  const text = flags.text('parallel')
  if (text !== undefined) {
    if (!/^\d+$/.test(text))
      throw createError('CLI_USAGE', `--parallel takes a number, not '${text}'`)
    return clampParallel(Number(text))
  }
  const variableParallel = Number(session.io.env['PULUMI_PARALLEL'] ?? '')
  if (Number.isInteger(variableParallel) && variableParallel > 0)
    return clampParallel(variableParallel)
  return availableParallelism() * 4
}

/**
 * Returns the time limit of each generator and executor, in ms. Returns undefined for none. The
 * flag --function-limit has the form `90s`, `15m` or `1h`. Throws CLI_USAGE.
 */
export function readFunctionLimit(flags: Flags): number | undefined {
  const text = flags.text('functionLimit')
  if (text === undefined) return undefined
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)(s|m|h)$/.exec(text) ?? []
  const seconds = { s: 1, m: 60, h: 3_600 }[unit]
  const minSeconds = limits.functionLimitMinMs / 1_000
  if (seconds === undefined || Number(number) * seconds < minSeconds)
    throw createError(
      'CLI_USAGE',
      `--function-limit takes a time of at least ${minSeconds} seconds, such as 90s or 15m, not '${text}'`,
    )
  return Number(number) * seconds * 1_000
}

/** Returns the order of deletes that --release requests. Throws CLI_USAGE. */
export function readRelease(flags: Flags): DeleteRelease {
  const text = flags.text('release') ?? 'dataflow'
  if (text === 'dataflow' || text === 'antichain') return text
  throw createError('CLI_USAGE', `--release takes dataflow or antichain, not '${text}'`)
}

/**
 * Returns the policy packs of --policy-pack. The nth --policy-pack-config belongs to the nth pack.
 * Throws CLI_USAGE unless --policy-pack-config is absent, or occurs once for each pack.
 */
export function readPolicyPacks(
  session: Pick<CliSession, 'cwd' | 'requireProject'>,
  flags: Flags,
): Pick<DeploymentOptions, 'policyPacks'> {
  const [packs, configs] = [flags.list('policyPack'), flags.list('policyPackConfig')]
  if (configs.length > 0 && configs.length !== packs.length)
    throw createError(
      'CLI_USAGE',
      `${packs.length} --policy-pack options require as many --policy-pack-config options, not ${configs.length}`,
    )
  if (packs.length === 0) return {}
  const { root } = session.requireProject()
  const toProjectPath = (path: string): string => {
    const absolutePath = resolve(session.cwd, path)
    const relativePath = relative(root, absolutePath)
    // A path inside the project stays relative, so that the project can be moved.
    return relativePath.startsWith('..') ? absolutePath : relativePath === '' ? '.' : relativePath
  }
  return {
    policyPacks: packs.map((path, index) => {
      const config = configs[index]
      const pack = { path: toProjectPath(path) }
      return config === undefined ? pack : { ...pack, config: toProjectPath(config) }
    }),
  }
}

/**
 * Reports whether to refresh the resources first: --refresh, else the project file's option
 * `refresh`. Throws CLI_USAGE.
 */
export function mustRefresh(flags: Flags, project: Project): boolean {
  return readRefreshOption(flags) ?? project.refreshAlways
}

/** Returns the value of --refresh. Undefined without the option. Throws CLI_USAGE. */
function readRefreshOption(flags: Flags): boolean | undefined {
  const text = flags.isSet('refresh') ? 'true' : flags.text('refresh')
  if (text === undefined) return undefined
  if (/^(true|t|1)$/i.test(text)) return true
  if (/^(false|f|0)$/i.test(text)) return false
  throw createError('CLI_USAGE', `--refresh takes true or false, not '${text}'`)
}

/** Returns the number within the limits: at least 1, and an int32 for Pulumi's protocol. */
function clampParallel(parallel: number): number {
  return Math.min(Math.max(parallel, 1), 0x7fffffff)
}
