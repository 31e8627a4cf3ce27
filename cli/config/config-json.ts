import type { ConfigValue } from '../../shared/programs/config/open-config.ts'

/**
 * Returns a value in the format of `config --json`. For a secret without `showSecrets`, the result
 * contains only `secret: true`.
 */
export function toConfigJson(
  value: ConfigValue,
  showSecrets: boolean,
): Readonly<Record<string, unknown>> {
  if (value.isSecret && !showSecrets) return { secret: true }
  const objectValue: unknown = value.isObject ? JSON.parse(value.text) : undefined
  return {
    value: value.text,
    ...(value.isObject ? { objectValue } : {}),
    secret: value.isSecret,
  }
}
