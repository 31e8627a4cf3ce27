import { compareBuild, parse } from 'semver'

/**
 * Compares two versions. Returns a number below 0 when `a` is older, and above 0 when `b` is older.
 * An invalid or empty version is older than any valid version.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)]
  if (left === null || right === null) return Number(left !== null) - Number(right !== null)
  return compareBuild(left, right)
}

const loosePattern = /^\s*v?(\d+(?:\.\d+){0,2})([-+].*?)?\s*$/

/**
 * Completes a version as users write it (`v1`, `1.2`, `01.2.3`). Returns undefined for an invalid
 * one. Source: `ParseTolerant` in semver.go of github.com/blang/semver 3.5.1, which Pulumi uses.
 */
export function completeVersion(text: string): string | undefined {
  const [, core, suffix = ''] = loosePattern.exec(text) ?? []
  if (core === undefined) return undefined
  // A version with fewer than three numbers may have no suffix, such as `-alpha.1`.
  if (suffix !== '' && core.split('.').length < 3) return undefined
  const numbers = core.split('.').map(part => part.replace(/^0+(?=\d)/, ''))
  while (numbers.length < 3) numbers.push('0')
  const version = `${numbers.join('.')}${suffix}`
  return parse(version) === null ? undefined : version
}
