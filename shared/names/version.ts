import { compareBuild, parse } from 'semver'

/** The order of versions, in which none at all comes first; below 0 when `a` is the older one. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)]
  if (left === null || right === null) return Number(left !== null) - Number(right !== null)
  return compareBuild(left, right)
}

const looseForm = /^\s*v?(\d+(?:\.\d+){0,2})([-+].*?)?\s*$/

/**
 * A version as a person writes it (`v1`, `1.2`, `01.2.3`) in full; undefined for what is none.
 * Source: `ParseTolerant` of the library that Pulumi reads versions with.
 */
export function completeVersion(text: string): string | undefined {
  const [, core, rest = ''] = looseForm.exec(text) ?? []
  if (core === undefined) return undefined
  // What is short says no more than numbers.
  if (rest !== '' && core.split('.').length < 3) return undefined
  const numbers = core.split('.').map(part => part.replace(/^0+(?=\d)/, ''))
  while (numbers.length < 3) numbers.push('0')
  const version = `${numbers.join('.')}${rest}`
  return parse(version) === null ? undefined : version
}
