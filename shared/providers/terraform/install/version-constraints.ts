import semver from 'semver'
import { createError } from '../../../errors/error.ts'

/** A condition that versions must meet. */
export interface VersionConstraints {
  /** The text as written. '' = every version. */
  readonly text: string
  /** The only version that can meet the condition, if there is one. */
  readonly exactVersion: string | undefined
  readonly isMetBy: (version: string) => boolean
}

interface Condition {
  readonly operator: string
  readonly version: string
  /** How many numbers of the version are written. */
  readonly partCount: number
}

/**
 * Parses conditions such as `>= 1.2, < 2.0` or `~> 3.6`. A pre-release meets only a condition that
 * names exactly this version. Throws TERRAFORM_VERSION_INVALID.
 */
export function parseVersionConstraints(text: string): VersionConstraints {
  const conditions =
    text.trim() === '' ? [] : text.split(',').map(part => parseCondition(text, part.trim()))
  const exactVersion = conditions.find(({ operator }) => operator === '=')?.version
  return {
    text: text.trim(),
    exactVersion,
    isMetBy: version =>
      conditions.every(condition => meetsCondition(version, condition)) &&
      (semver.prerelease(version) === null || exactVersion !== undefined),
  }
}

/**
 * Returns the newest version that meets the conditions. Texts that are not versions are left out.
 */
export function findNewestMatch(
  versions: readonly string[],
  constraints: VersionConstraints,
): string | undefined {
  return versions
    .filter(version => semver.valid(version) !== null && constraints.isMetBy(version))
    .toSorted((a, b) => semver.compareBuild(b, a))[0]
}

const conditionPattern = new RegExp(
  [
    '^(?<operator>=|!=|>=|>|<=|<|~>)?\\s*',
    'v?(?<numbers>\\d+(?:\\.\\d+){0,2})(?<suffix>(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?)$',
  ].join(''),
)

function parseCondition(text: string, part: string): Condition {
  const { operator = '=', numbers = '', suffix = '' } = conditionPattern.exec(part)?.groups ?? {}
  const written = numbers.split('.')
  const version = semver.parse(`${[...written, '0', '0'].slice(0, 3).join('.')}${suffix}`)
  if (version === null || numbers === '')
    throw createError(
      'TERRAFORM_VERSION_INVALID',
      `'${part}' is not a condition of a version${part === text ? '' : ` (in '${text}')`}`,
    )
  return { operator, version: version.raw, partCount: written.length }
}

function meetsCondition(version: string, condition: Condition): boolean {
  const { operator, version: bound, partCount } = condition
  switch (operator) {
    case '=':
      return semver.compareBuild(version, bound) === 0
    case '!=':
      return semver.compareBuild(version, bound) !== 0
    case '>':
      return semver.gt(version, bound)
    case '>=':
      return semver.gte(version, bound)
    case '<':
      return semver.lt(version, bound)
    case '<=':
      return semver.lte(version, bound)
    default:
      return semver.gte(version, bound) && semver.lt(version, seriesEndOf(bound, partCount))
  }
}

/**
 * Returns the first version that `~>` does not accept any more. With three written numbers, it is
 * the next minor version, otherwise the next major version.
 */
function seriesEndOf(bound: string, partCount: number): string {
  const major = semver.major(bound)
  return partCount < 3 ? `${major + 1}.0.0` : `${major}.${semver.minor(bound) + 1}.0`
}
