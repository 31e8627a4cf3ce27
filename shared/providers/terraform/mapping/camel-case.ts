/**
 * Returns a name in Pulumi's spelling: `cidrBlock` for `cidr_block`. Underscores at the start and
 * one at the end stay.
 */
export function toCamelCase(name: string): string {
  return name.replace(/(?<=[^_])_+([^_]|$)/g, (_underscores, next: string) =>
    next === '' ? '_' : capitalize(next),
  )
}

/** Returns a name in Terraform's spelling: `cidr_block` for `cidrBlock`. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter, index: number) =>
    index === 0 ? letter.toLowerCase() : `_${letter.toLowerCase()}`,
  )
}

/** Returns a name with its first letter in upper case. Letters outside ASCII stay unchanged. */
export function capitalize(name: string): string {
  return name.replace(/^[a-z]/, letter => letter.toUpperCase())
}

/** Returns a name with its first letter in lower case. Letters outside ASCII stay unchanged. */
export function lowerFirst(name: string): string {
  return name.replace(/^[A-Z]/, letter => letter.toLowerCase())
}
