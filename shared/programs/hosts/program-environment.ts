import { parseConfigKey } from '../config/config-key.ts'
import type { ProgramInput } from '../program.ts'
import { readTextOption } from './runtime-option.ts'

/** Returns the variables that have a value. */
export function withoutUndefined(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** Returns the variables with the configuration of a program in Go or Python. */
export function createConfigEnvironment(
  programInput: ProgramInput,
): Readonly<Record<string, string>> {
  return {
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(programInput.config)),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(programInput.configSecretKeys),
  }
}

/**
 * Returns the additional environment variables of a Node program. Configuration keys have the old
 * spelling `ns:config:name`.
 */
export function createNodeEnvironment(
  programInput: ProgramInput,
): Readonly<Record<string, string>> {
  const config = [...programInput.config].map(([key, text]): readonly [string, string] => {
    const { namespace, name } = parseConfigKey(key, programInput.project)
    return [`${namespace}:config:${name}`, text]
  })
  const tsconfig = readTextOption(programInput, 'tsconfig')
  return {
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(config)),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(programInput.configSecretKeys),
    ...(programInput.runtimeOptions['typescript'] === false
      ? {}
      : { PULUMI_NODEJS_TYPESCRIPT: 'true' }),
    ...(tsconfig === '' ? {} : { PULUMI_NODEJS_TSCONFIG_PATH: tsconfig }),
  }
}
