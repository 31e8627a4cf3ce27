import type { PropertyMap } from '../../../values/value.ts'
import { toCtyPaths } from '../mapping/property-paths.ts'
import { toTerraformInputs } from '../mapping/rename-inputs.ts'
import { type BuiltConfig, buildConfig } from '../values/build-config.ts'
import { createConfigError } from '../values/config-problem.ts'
import type { CtyPath } from '../values/cty-path.ts'
import type { CtyValue } from '../values/cty-value.ts'
import type { TypeSchema, ResourceType } from './terraform-package.ts'

/** Builds the configuration of an object from the inputs of a program. Collects all problems. */
export function buildObjectConfig({ block, names }: TypeSchema, inputs: PropertyMap): BuiltConfig {
  return buildConfig(block, toTerraformInputs(names, inputs).inputs)
}

/**
 * Builds the configuration of an object, and refuses any problem. `subject` is the URN or type in
 * messages. Throws TERRAFORM_CONFIG_INVALID.
 */
export function requireObjectConfig(
  schema: TypeSchema,
  subject: string,
  inputs: PropertyMap,
): BuiltConfig {
  const config = buildObjectConfig(schema, inputs)
  if (config.problems.length > 0) throw createConfigError(`'${subject}'`, config.problems)
  return config
}

/** The changes that a program ignores, as paths of the schema. */
export interface IgnoredChanges {
  readonly ignoredPaths: readonly CtyPath[]
  readonly ignoresAll: boolean
}

/**
 * Reads the option `ignoreChanges`. Paths that the schema does not have are left out. A wildcard in
 * a path stands for each part that one of the values has there.
 */
export function readIgnoredChanges(
  { names }: ResourceType,
  ignoreChanges: readonly string[],
  values: readonly CtyValue[],
): IgnoredChanges {
  return {
    ignoredPaths: ignoreChanges.flatMap(path => toCtyPaths(names, path, values)),
    ignoresAll: ignoreChanges.includes('*'),
  }
}
