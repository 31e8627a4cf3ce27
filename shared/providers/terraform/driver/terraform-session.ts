import { assert } from '../../../errors/error.ts'
import { ProviderError } from '../../provider-error.ts'
import type { TerraformClient } from '../client/terraform-client.ts'
import type { TerraformPackage } from './terraform-package.ts'
import type { DiagnosedProblem } from './diagnostics.ts'
import { formatProblem } from './diagnostics.ts'
import { createInitialPlans, type InitialPlans } from './initial-plans.ts'

/** One process of a provider that serves a package, and the result of its configuration. */
export interface TerraformSession {
  readonly client: TerraformClient
  readonly pkg: TerraformPackage
  /** Shows a warning to the user. */
  readonly warn: (text: string) => void
  /** Shows the progress of an action to the user. */
  readonly inform: (text: string) => void
  readonly initialPlans: InitialPlans
  /** Waits for the configuration. Throws its error as an error of an unsent request. */
  readonly waitUntilConfigured: () => Promise<void>
  /** Returns true if the configuration was skipped because it has unknown values. */
  readonly isUnconfigured: () => boolean
  /** Sets the result of the configuration, once. Undefined: the configuration was skipped. */
  readonly setConfigureOutcome: (outcome: Promise<void> | undefined) => void
}

/** Creates the session of a process before its configuration. */
export function createTerraformSession(
  fields: Pick<TerraformSession, 'client' | 'pkg' | 'warn' | 'inform'>,
): TerraformSession {
  let outcome: Promise<void> | undefined
  let isUnconfigured = false
  return {
    ...fields,
    initialPlans: createInitialPlans(),
    async waitUntilConfigured() {
      assert(outcome !== undefined, `provider '${fields.pkg.name}' is used before it is configured`)
      try {
        await outcome
      } catch (thrown) {
        throw toUnsentError(thrown)
      }
    },
    isUnconfigured: () => isUnconfigured,
    setConfigureOutcome(result) {
      assert(outcome === undefined, `provider '${fields.pkg.name}' is configured twice`)
      isUnconfigured = result === undefined
      outcome = result ?? Promise.resolve()
      // Every later call reports this failure. Until then the rejection must not count as
      // unhandled.
      outcome.catch(() => {})
    },
  }
}

/** Converts an error of the configuration for a call that was never sent because of it. */
function toUnsentError(thrown: unknown): unknown {
  if (!(thrown instanceof ProviderError) || thrown.status === 'ok') return thrown
  const { message, code } = thrown
  const isRequestUnsent = thrown.status === 'lost'
  return new ProviderError(message, { status: 'ok', code, isRequestUnsent, cause: thrown })
}

/** Shows the warnings of a call about a subject, such as a URN. */
export function showWarnings(
  session: TerraformSession,
  subject: string,
  warnings: readonly DiagnosedProblem[],
): void {
  for (const warning of warnings) session.warn(`${subject}: ${formatProblem(warning)}`)
}
