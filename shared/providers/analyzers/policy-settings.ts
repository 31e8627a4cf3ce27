import * as z from 'zod'
import { createError, messageOf } from '../../errors/error.ts'
import { isRecord } from '../../programs/is-record.ts'
import type { Enforcement, PackInfo, PolicyInfo, PolicySettings } from './analyzer.ts'

const levels: ReadonlySet<string> = new Set(['advisory', 'mandatory', 'disabled', 'remediate'])

/**
 * Parses a settings file. For each policy, or for `all`, the file contains a level, or an object
 * with properties and an optional `enforcementLevel`. Throws POLICY_PACK_FAILED.
 */
export function readPolicySettings(
  text: string,
  file: string,
): ReadonlyMap<string, PolicySettings> {
  const settingsByPolicy = new Map<string, PolicySettings>()
  if (text.trim() === '') return settingsByPolicy
  for (const [name, entry] of Object.entries(parseObject(text, file))) {
    if (name === 'environments')
      throw createInvalidSettingsError(
        file,
        'names environments, which stacks outside of Pulumi Cloud do not support',
      )
    if (typeof entry === 'string') {
      settingsByPolicy.set(name, { enforcement: parseLevel(entry, name, file), properties: {} })
      continue
    }
    if (!isRecord(entry))
      throw createInvalidSettingsError(
        file,
        `has a value for '${name}' that is neither a level nor an object`,
      )
    const { enforcementLevel = '', ...properties } = entry
    const enforcement = enforcementLevel === '' ? '' : parseLevel(enforcementLevel, name, file)
    if (enforcement !== '' || Object.keys(properties).length > 0)
      settingsByPolicy.set(name, { enforcement, properties })
  }
  return settingsByPolicy
}

function parseObject(text: string, file: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (thrown) {
    throw createInvalidSettingsError(file, `is not valid JSON: ${messageOf(thrown)}`)
  }
  if (isRecord(value)) return value
  throw createInvalidSettingsError(file, 'does not contain an object')
}

function parseLevel(value: unknown, name: string, file: string): Enforcement {
  if (typeof value === 'string' && levels.has(value)) return value as Enforcement
  throw createInvalidSettingsError(
    file,
    `has the invalid enforcement level ${JSON.stringify(value)} for '${name}'`,
  )
}

function createInvalidSettingsError(file: string, problem: string): Error {
  return createError('POLICY_PACK_FAILED', `the policy configuration ${file} ${problem}`)
}

/**
 * Merges three layers of settings for each policy: the policy's own level and defaults, the
 * settings of the pack's program, and the user's settings. Later layers override earlier ones.
 * Within a layer, the entry `all` sets only levels, and the entry of a policy overrides it. Source:
 * docs/spec/monitor.md#analyzer-service.
 */
export function mergeSettings(
  { policies, settings }: PackInfo,
  userSettings: ReadonlyMap<string, PolicySettings>,
): ReadonlyMap<string, PolicySettings> {
  let result = new Map(
    policies.map(({ name, enforcement, schema }): [string, PolicySettings] => [
      name,
      { enforcement, properties: defaultsOf(schema.properties) },
    ]),
  )
  for (const layer of [settings, userSettings]) result = applyLayer(result, layer)
  return result
}

function defaultsOf(schemas: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(schemas).flatMap(([key, schema]) =>
    isRecord(schema) && 'default' in schema ? [[key, schema['default']] as const] : [],
  )
  return Object.fromEntries(entries)
}

function applyLayer(
  previousSettings: ReadonlyMap<string, PolicySettings>,
  layer: ReadonlyMap<string, PolicySettings>,
): Map<string, PolicySettings> {
  const result = new Map(previousSettings)
  const commonLevel = layer.get('all')?.enforcement ?? ''
  if (commonLevel !== '')
    for (const [name, { properties }] of previousSettings)
      result.set(name, { enforcement: commonLevel, properties })
  for (const [name, { enforcement, properties }] of layer) {
    const currentSettings = result.get(name)
    result.set(name, {
      enforcement: enforcement === '' ? (currentSettings?.enforcement ?? '') : enforcement,
      properties: { ...currentSettings?.properties, ...properties },
    })
  }
  return result
}

/**
 * Returns one message for each setting that violates the schema of its policy, and for each policy
 * whose schema is invalid, sorted.
 */
export function validateSettings(
  policies: readonly PolicyInfo[],
  settings: ReadonlyMap<string, PolicySettings>,
): readonly string[] {
  return policies
    .flatMap(policy => findViolations(policy, settings.get(policy.name)?.properties ?? {}))
    .sort()
}

function findViolations(
  { name, schema }: PolicyInfo,
  values: PolicySettings['properties'],
): readonly string[] {
  const { properties, required } = schema
  try {
    const form = z.fromJSONSchema({ type: 'object', properties, required } as never)
    const { error } = form.safeParse(values)
    return (error?.issues ?? []).map(
      ({ path, message }) => `${name}: ${path.join('.')}: ${message}`,
    )
  } catch (thrown) {
    // For an invalid or too deeply nested schema, the conversion may throw an error of any class.
    return [`${name}: the pack's schema of this configuration is invalid: ${messageOf(thrown)}`]
  }
}

/** Returns the `info` of a pack, in which the policies have the levels of the settings. */
export function applyPolicySettings(
  info: PackInfo,
  settings: ReadonlyMap<string, PolicySettings>,
): PackInfo {
  const policies = info.policies.map(policy => {
    const level = settings.get(policy.name)?.enforcement ?? ''
    return level === '' ? policy : { ...policy, enforcement: level }
  })
  return { ...info, policies }
}
