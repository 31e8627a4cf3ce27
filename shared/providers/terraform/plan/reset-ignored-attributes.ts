import { mapOf } from '../values/build-value.ts'
import { type CtyPath, isAtOrBelow } from '../values/cty-path.ts'
import { type CtyValue, nullOf } from '../values/cty-value.ts'
import type { BlockSchema } from '../values/schema.ts'
import { findAtCtyPath, transformValue } from '../values/walk-value.ts'
import { findAttributeAtPath } from './object-shape.ts'

/**
 * The prior object and the configuration, between which differences are ignored. For a new object,
 * `prior` is null, and the configuration stays unchanged.
 */
export interface PriorAndConfig {
  readonly prior: CtyValue
  readonly config: CtyValue
}

/**
 * Returns the configuration with the prior values at some paths. A path to a key of a map adds,
 * replaces or removes that key alone. Any other path has no effect if the prior object or the
 * configuration lacks it.
 */
export function ignoreChangesAt(
  { prior, config }: PriorAndConfig,
  paths: readonly CtyPath[],
): CtyValue {
  if (prior.kind === 'null') return config
  return paths.reduce((result, path) => resetAtPath(prior, result, path), config)
}

function resetAtPath(prior: CtyValue, config: CtyValue, path: CtyPath): CtyValue {
  const last = path.at(-1)
  const resetPath = last?.kind === 'key' ? path.slice(0, -1) : path
  const priorPart = findAtCtyPath(prior, resetPath)
  const configPart = findAtCtyPath(config, resetPath)
  if (priorPart === undefined || configPart === undefined) return config
  const resetValue = last?.kind === 'key' ? resetKey(priorPart, configPart, last.key) : priorPart
  return transformValue(config, (part, partPath) =>
    partPath.length === resetPath.length && isAtOrBelow(partPath, resetPath) ? resetValue : part,
  )
}

function resetKey(prior: CtyValue, config: CtyValue, key: string): CtyValue {
  if (config.kind !== 'map' && config.kind !== 'null') return config
  if (config.type.kind !== 'map') return config
  const priorElement = prior.kind === 'map' ? prior.entries.get(key) : undefined
  const entries = new Map(config.kind === 'map' ? config.entries : [])
  if (priorElement === undefined) entries.delete(key)
  else entries.set(key, priorElement)
  return entries.size === 0 && config.kind === 'null' ? config : mapOf(entries, config.type.element)
}

/**
 * Returns a configuration that changes nothing: the prior object, with null for the attributes that
 * only the provider sets.
 */
export function ignoreAllChanges(block: BlockSchema, { prior, config }: PriorAndConfig): CtyValue {
  if (prior.kind === 'null') return config
  return transformValue(prior, (part, path) => {
    const attribute = findAttributeAtPath(block, path)
    const isOutput = attribute?.isComputed === true && attribute.isOptional !== true
    return isOutput ? nullOf(part.type) : part
  })
}
