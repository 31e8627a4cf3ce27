import { compareBuild, parse } from 'semver'

/** The order of versions, in which none at all comes first; below 0 when `a` is the older one. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)]
  if (left === null || right === null) return Number(left !== null) - Number(right !== null)
  return compareBuild(left, right)
}
