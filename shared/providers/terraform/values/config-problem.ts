import { type DeployError, createError } from '../../../errors/error.ts'
import { type CtyPath, type CtyStep, formatPlace } from './cty-path.ts'

/** An error in a configuration: a sentence, and the part that the user must correct. */
export interface ConfigProblem {
  readonly message: string
  /** In the path, an element of a set has its position in the input. */
  readonly path: CtyPath
}

/** The results of a build besides its value. They grow while the build runs. */
export interface BuildReport {
  readonly problems: ConfigProblem[]
  /** Paths of values that are secret in the input. */
  readonly sensitivePaths: CtyPath[]
}

/** The part of a configuration that is being built. */
export interface BuildPlace {
  readonly report: BuildReport
  readonly path: CtyPath
  /**
   * The outermost set around the part. A secret in it marks the set, because elements have no
   * address.
   */
  readonly setPath?: CtyPath
}

/** Returns the place of a part. */
export function enterPart(place: BuildPlace, step: CtyStep): BuildPlace {
  const setPath = place.setPath ?? (step.kind === 'element' ? place.path : undefined)
  const path = [...place.path, step]
  return setPath === undefined ? { ...place, path } : { ...place, path, setPath }
}

/** Reports a problem at a place. */
export function reportProblem({ report, path }: BuildPlace, message: string): void {
  report.problems.push({ message, path })
}

/** Records that the value at a place is secret. */
export function markSensitive({ report, path, setPath }: BuildPlace): void {
  report.sensitivePaths.push(setPath ?? path)
}

/**
 * Returns one error TERRAFORM_CONFIG_INVALID for all problems of a configuration. `subject` names
 * the resource.
 */
export function createConfigError(
  subject: string,
  problems: readonly ConfigProblem[],
): DeployError {
  const reasons = problems.map(({ message, path }) => `${message}${formatPlace(path)}`)
  return createError(
    'TERRAFORM_CONFIG_INVALID',
    `the configuration of ${subject} is invalid: ${reasons.join('; ')}`,
    {
      details: { problems: reasons },
    },
  )
}
