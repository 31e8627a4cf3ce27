/** The parts of a setup that `antichain doctor` checks. */
export type CheckedArea = 'machine' | 'installation' | 'project' | 'store'

/** A defect, and the step that corrects it. */
export interface Finding {
  readonly area: CheckedArea
  /** The checked object, such as a file or a command. */
  readonly subject: string
  readonly problem: string
  readonly remedy: string
}

/** The result of the checks of one area: facts that are in order, and findings. */
export interface AreaReport {
  readonly area: CheckedArea
  readonly facts: readonly string[]
  readonly findings: readonly Finding[]
}

/** Creates the report of an area from checks, each of which is a fact or a finding. */
export function createAreaReport(
  area: CheckedArea,
  checks: readonly (string | Omit<Finding, 'area'>)[],
): AreaReport {
  return {
    area,
    facts: checks.filter(check => typeof check === 'string'),
    findings: checks.flatMap(check => (typeof check === 'string' ? [] : [{ area, ...check }])),
  }
}
