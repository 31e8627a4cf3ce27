import type { StepEmitter } from '../../engine/events/step-emitter.ts'
import type { PerformDeps } from '../../engine/executor/provider-call.ts'
import type { ProviderRegistry } from '../../providers/provider-registry.ts'
import type { ClockPort } from '../../ports/system.ts'
import { timestampOf } from '../../state/timestamp.ts'

/** Creates the dependencies with which a run performs steps. */
export function createPerformDeps(
  { clock }: { readonly clock: ClockPort },
  deps: Pick<PerformDeps, 'beforeRetry' | 'views'> & {
    readonly providers: ProviderRegistry
    readonly emitter: StepEmitter
  },
): PerformDeps {
  const { providers, emitter, ...otherDeps } = deps
  return {
    ...otherDeps,
    provider: (reference, extensionRef) => providers.getInstance(reference, extensionRef),
    timestamp: () => timestampOf(clock.now()),
    warn: message => emitter.report('warning', message),
  }
}
