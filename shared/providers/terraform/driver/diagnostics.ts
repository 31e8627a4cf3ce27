import type { DiagnosedResponse, ProviderDiagnostic } from '../client/terraform-client.ts'
import { toPropertyPath } from '../mapping/property-paths.ts'
import { readAttributePath } from '../values/attribute-path.ts'
import type { CtyPath } from '../values/cty-path.ts'
import type { CtyType } from '../values/type-system.ts'
import type { TypeSchema } from './terraform-package.ts'

/** Formats the path of an attribute with the property names that programs use. */
export type PathFormatter = (path: CtyPath) => string

/** Returns the formatter of the paths of a type. */
export function formatPathOf({ names }: TypeSchema): PathFormatter {
  return path => toPropertyPath(names, path)
}

/** A problem that a provider reports, with the property of the program; '' for the whole object. */
export interface DiagnosedProblem {
  readonly message: string
  readonly property: string
}

/** The problems of a response, by their severity. */
export interface DiagnosedProblems {
  readonly errors: readonly DiagnosedProblem[]
  readonly warnings: readonly DiagnosedProblem[]
}

/** Converts the diagnostics of a response. `type` is the type that their paths lead into. */
export function readProblems(
  { diagnostics }: DiagnosedResponse,
  { type, formatPath }: { readonly type: CtyType; readonly formatPath: PathFormatter },
): DiagnosedProblems {
  const toProblem = ({ summary, detail, path }: ProviderDiagnostic): DiagnosedProblem => ({
    message: detail === '' ? summary : `${summary}: ${detail}`,
    property: path.length === 0 ? '' : formatPath(readAttributePath(path, type)),
  })
  return {
    errors: diagnostics.filter(({ severity }) => severity === 'error').map(toProblem),
    warnings: diagnostics.filter(({ severity }) => severity === 'warning').map(toProblem),
  }
}

/** Formats a problem as one sentence, with its property if it has one. */
export function formatProblem({ message, property }: DiagnosedProblem): string {
  return property === '' ? message : `${message} (property '${property}')`
}

/** Describes a failed call as one sentence with all errors, such as `cannot VERB 'SUBJECT': …`. */
export function describeFailure(
  verb: string,
  subject: string,
  errors: readonly DiagnosedProblem[],
): string {
  return `cannot ${verb} '${subject}': ${errors.map(formatProblem).join('; ')}`
}
