import { type ConfigureOutcome, createConfigureOutcome } from '../../configure-outcome.ts'
import type { TerraformClient } from '../client/terraform-client.ts'
import type { TerraformPackage } from './terraform-package.ts'
import type { DiagnosedProblem } from './diagnostics.ts'
import { formatProblem } from './diagnostics.ts'
import type { PropertyMap } from '../../../values/value.ts'
import type { ResourceObject } from './resource-object.ts'
import { createInitialPlans, type InitialPlans } from './initial-plans.ts'

/** One process of a provider that serves a package, and the result of its configuration. */
export interface TerraformSession extends ConfigureOutcome<void> {
  readonly client: TerraformClient
  readonly pkg: TerraformPackage
  /** Shows a warning to the user. */
  readonly warn: (text: string) => void
  /** Shows the progress of an action to the user. */
  readonly inform: (text: string) => void
  readonly initialPlans: InitialPlans
  /**
   * The objects that this process has read. The key is the map of outputs that the read returned.
   */
  readonly objectsByOutputs: WeakMap<PropertyMap, ResourceObject>
}

/** Creates the session of a process before its configuration. */
export function createTerraformSession(
  fields: Pick<TerraformSession, 'client' | 'pkg' | 'warn' | 'inform'>,
): TerraformSession {
  return {
    ...fields,
    initialPlans: createInitialPlans(),
    objectsByOutputs: new WeakMap(),
    ...createConfigureOutcome<void>(fields.pkg.name, undefined),
  }
}

/** Shows the warnings of a call about a subject, such as a URN. */
export function showWarnings(
  session: TerraformSession,
  subject: string,
  warnings: readonly DiagnosedProblem[],
): void {
  for (const warning of warnings) session.warn(`${subject}: ${formatProblem(warning)}`)
}
