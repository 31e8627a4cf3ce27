import type { ProgramInput } from '../program.ts'

/** Returns the variables that have a value. */
export function withoutUndefined(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** Returns the environment variables with the configuration and its secret keys. */
export function createConfigEnvironment(
  programInput: ProgramInput,
): Readonly<Record<string, string>> {
  return {
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(programInput.config)),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(programInput.configSecretKeys),
  }
}
