import type { ConfigValue } from '../../shared/programs/config/open-config.ts'

/** A value in the form of `config --json`; a secret one without its value unless `showSecrets`. */
export function toConfigJson(
  value: ConfigValue,
  showSecrets: boolean,
): Readonly<Record<string, unknown>> {
  if (value.secret && !showSecrets) return { secret: true }
  const objectValue: unknown = value.object ? JSON.parse(value.text) : undefined
  return {
    value: value.text,
    ...(value.object ? { objectValue } : {}),
    secret: value.secret,
  }
}
