/**
 * The selection of resources, by URNs or URN patterns (`*`, `**`). Targets take precedence over
 * excludes, except in a planned refresh. Source:
 * docs/spec/step-generation.md#modes-and-options, docs/spec/step-generation.md#targets.
 */
export interface Targeting {
  /** Only these resources; empty: all. */
  readonly targets: readonly string[]
  /** All resources except these. */
  readonly excludes: readonly string[]
  /** Resources to replace even if they are unchanged. */
  readonly replaces: readonly string[]
  /** Whether dependents of a target are targets too. */
  readonly targetDependents: boolean
  /** Whether dependents of an excluded resource are excluded too. */
  readonly excludeDependents: boolean
  /** Whether protected resources and their dependencies are excluded. */
  readonly excludeProtected: boolean
}
